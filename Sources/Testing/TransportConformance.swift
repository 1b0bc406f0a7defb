import Groundwave

/// Checks a transport for what `Transport` guarantees, one guarantee after the other, in any test framework.
///
/// ```swift
/// let conformance = TransportConformance { BucketTransport(folder: UUID().uuidString) }
/// for violation in await conformance.violations() { XCTFail("\(violation)") }
/// ```
///
/// With swift-testing, a test that takes `Guarantee.allCases` as its arguments and calls ``check(_:)`` names each of them.
public struct TransportConformance: Sendable {
    /// What a transport guarantees; the raw value is a sentence about it.
    public enum Guarantee: String, CaseIterable, Sendable, CustomStringConvertible {
        /// Objects of any size up to 8 MiB are read as they were stored.
        case wholeObjects = "gives back what was stored, up to 8 MiB"
        /// Nothing is replaced.
        case nothingIsReplaced = "leaves an object as it is when its name is stored again"
        /// An object is replaced at once.
        case replacement = "replaces an object at once, and no other"
        /// A name that was never stored has no object, no names and no folders.
        case absence = "has nothing under a name that was not stored"
        /// Ranges are clamped to the object.
        case ranges = "gives a range as far as there are bytes"
        /// More bytes than the limit are refused.
        case limits = "gives as many bytes as the limit, and refuses more"
        /// Listings are in byte order, and continue after a name.
        case order = "lists names in the order of their bytes, and continues after any of them"
        /// Listings show what is in a folder, at any depth.
        case prefixes = "lists what is below a folder, and nothing that only begins like it"
        /// A thousand objects are listed in pages.
        case pages = "lists a thousand objects page by page, each once"
        /// Folders are named.
        case folders = "names the folders directly below a folder, in order"
        /// An object is deleted, and no other.
        case deletion = "deletes an object and no other, and nothing if it is not there"
        /// Of many writers of one name one wins.
        case oneWinner = "lets exactly one win of many who store one name at once"
        /// Every name can be used.
        case names = "takes every valid name, apart from all others"
        /// Where there are hints, they come.
        case hints = "hints at a new object soon, if it can be watched"
        /// A cancelled operation ends.
        case cancellation = "ends an operation soon when its task is cancelled, and leaves a whole object or none"
        /// Stores agree, however many requests fail.
        case agreement = "lets two stores agree, although requests fail and answers are lost"

        /// The sentence.
        public var description: String { rawValue }
    }

    /// A guarantee that a transport does not keep.
    public struct Violation: Error, Hashable, Sendable, CustomStringConvertible {
        /// The guarantee.
        public let guarantee: Guarantee
        /// What was found, as a sentence.
        public let finding: String

        /// Both, for the output of a test.
        public var description: String { "Not kept: “\(guarantee)”. \(finding)" }
    }

    private let patience: Duration
    private let make: @Sendable () async throws -> any Transport

    /// Creates the checks of one type of transport.
    ///
    /// - Parameters:
    ///   - patience: How long to wait for what must come soon: a hint, the end of a cancelled operation.
    ///   - make: Makes a transport with empty storage of its own, at each call another one.
    public init(patience: Duration = .seconds(30), of make: @escaping @Sendable () async throws -> any Transport) {
        self.patience = patience
        self.make = make
    }

    /// Checks one guarantee with a new, empty transport.
    ///
    /// - Throws: ``Violation`` if the transport does not keep it, or throws where it must not; the errors of making one.
    /// - Complexity: Some seconds for ``Guarantee/hints``, 1,000 objects for ``Guarantee/pages``, up to 8 MiB at once.
    public func check(_ guarantee: Guarantee) async throws {
        let transport = ExaminedTransport(transport: try await make(), patience: patience)
        do {
            switch guarantee {
            case .wholeObjects: try await transport.keepsObjectsWhole()
            case .nothingIsReplaced: try await transport.replacesNothing()
            case .replacement: try await transport.replacesAtOnce()
            case .absence: try await transport.hasNothingAtFirst()
            case .ranges: try await transport.clampsRanges()
            case .limits: try await transport.keepsLimits()
            case .order: try await transport.listsInOrder()
            case .prefixes: try await transport.listsBelowFolders()
            case .pages: try await transport.listsInPages()
            case .folders: try await transport.namesFolders()
            case .deletion: try await transport.deletesOneObject()
            case .oneWinner: try await transport.letsOneWin()
            case .names: try await transport.takesEveryName()
            case .hints: try await transport.hints()
            case .cancellation: try await transport.endsWhenCancelled()
            case .agreement: try await transport.letsStoresAgree()
            }
        } catch let finding as Finding {
            throw Violation(guarantee: guarantee, finding: finding.text)
        } catch let error as TransportError {
            throw Violation(guarantee: guarantee, finding: "It threw \(error).")
        } catch let error as StoreError {
            throw Violation(guarantee: guarantee, finding: "Synchronising through it failed. \(error)")
        }
    }

    /// Checks all guarantees, and returns those that are not kept; empty if the transport conforms.
    ///
    /// An error of making the transport counts as a violation.
    public func violations() async -> [Violation] {
        var violations: [Violation] = []
        for guarantee in Guarantee.allCases {
            do { try await check(guarantee) } catch {
                violations.append(
                    (error as? Violation)
                        ?? Violation(guarantee: guarantee, finding: "It could not be checked: \(error)."))
            }
        }
        return violations
    }
}
