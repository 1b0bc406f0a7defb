/// What to do about an error: a sentence or two, in which an application can put its own names of what helps.
///
/// ```swift
/// StoreError(.notFound, "There is no trace.", hint: "To see all: \(.list(.traces))")
/// ```
public struct Hint: Hashable, Sendable {
    fileprivate enum Part: Hashable, Sendable {
        case text(String)
        case remedy(Remedy)
    }

    fileprivate var parts: [Part]

    /// A hint without a remedy.
    public init(_ text: String) { parts = [.text(text)] }

    /// Several hints, separated by semicolons.
    package init(_ hints: [Hint]) { parts = Array(hints.map(\.parts).joined(separator: [.text("; ")])) }

    /// The remedies that it names, in order.
    public var remedies: [Remedy] {
        parts.compactMap { if case .remedy(let remedy) = $0 { remedy } else { nil } }
    }

    /// Returns the hint with the words that `name` has for each remedy: a command, or the title of a button.
    ///
    /// A text of lower-case words begins with a capital letter where a sentence begins with it.
    public func text(naming name: (Remedy) -> String) -> String {
        parts.reduce(into: "") { text, part in
            switch part {
            case .text(let words): text += words
            case .remedy(let remedy):
                let words = name(remedy)
                let isStart = text.isEmpty || text.hasSuffix(". ")
                text += isStart ? words.prefix(1).uppercased() + words.dropFirst() : words
            }
        }
    }
}

extension Hint: CustomStringConvertible {
    /// The hint in plain words, which fit any application.
    public var description: String { text { $0.description } }
}

extension Hint: ExpressibleByStringInterpolation {
    /// A hint without a remedy.
    public init(stringLiteral text: String) { self.init(text) }

    /// A hint of the parts of a literal.
    public init(stringInterpolation parts: StringInterpolation) { self.parts = parts.parts }

    /// The parts of a literal: text, values and remedies.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var parts: [Part] = []

        /// No parts yet.
        public init(literalCapacity: Int, interpolationCount: Int) {}

        /// Appends text.
        public mutating func appendLiteral(_ literal: String) { parts.append(.text(literal)) }

        /// Appends a value as text.
        public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            parts.append(.text(value.description))
        }

        /// Appends a remedy.
        public mutating func appendInterpolation(_ remedy: Remedy) { parts.append(.remedy(remedy)) }

        /// Appends another hint.
        public mutating func appendInterpolation(_ hint: Hint) { parts += hint.parts }
    }
}
