import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveReplication
import GroundwaveSealedRemotes
import GroundwaveSealing
import GroundwaveStore

/// The result of writing a bundle.
public struct BundleMade: Hashable, Sendable {
    /// The number of ranges.
    public var ranges = 0
    /// The number of events in them.
    public var events: UInt64 = 0
    /// The size of the file in bytes.
    public var bytes = 0
}

/// The result of applying a bundle.
public struct BundleApplied: Hashable, Sendable {
    /// The number of ranges in the bundle.
    public var ranges = 0
    /// The number of events that are here now and were not before.
    public var events = 0
    /// The number of received events that had been lost here with a damaged file.
    public var returned = 0
    /// The number of events that were here already.
    public var repeated: UInt64 = 0
    /// The ranges that are pending, for their predecessors or for the end of a batch.
    public var pending: [EventRange] = []
    /// The ranges of another history of their replica than any that was here: the replica has forked.
    public var apart: [EventRange] = []

    /// Creates an empty result.
    public init() {}
}

extension Store {
    /// Writes the events that a recipient is missing to a file, for a USB stick or a mail.
    ///
    /// The file is a sequence of segments, as at a remote. Any store of the log can apply it, in any order with other
    /// bundles, any number of times.
    ///
    /// If the log is sealed, so is the file: devices that belong to the log can open it.
    ///
    /// - Parameters:
    ///   - vector: What the recipient has; if this is empty, everything is written.
    ///   - path: The path of the file. It is replaced when the bundle is complete, and unchanged after an error.
    ///   - isOpen: Whether the file lies open although the log is sealed.
    /// - Throws: ``StoreError`` with code `notPermitted` if the store is read-only, since only a replica can sign a
    ///   bundle; errors of the disk.
    public func createBundle(
        missingFrom vector: VersionVector = VersionVector(), to path: String, isOpen: Bool = false
    ) async throws -> BundleMade {
        try requireWritable()
        guard let writer else { preconditionFailure("A store that can be written has a writer.") }
        try await introduce()
        let writing = try isOpen ? nil : await bundleKey()
        return try describing {
            let identity = writer.identity
            let bundle = try Bundle(of: log, as: identity, missingFrom: vector)
            var made = BundleMade()
            var file = try AtomicFile(path)
            try bundle.write(sealing: writing) { bytes, frames in
                try file.write(bytes)
                made.ranges += frames.count
                made.events += frames.reduce(0) { $0 + $1.range.count }
                made.bytes += bytes.count
            }
            try file.finish()
            return made
        }
    }

    /// Returns what bundles are sealed with; `nil` if the log is not sealed.
    func bundleKey() async throws -> SealedTransport.Writing? { try isSealed() ? try await writingKey() : nil }

    /// Applies the events of a bundle to this store.
    ///
    /// - Throws: ``StoreError`` with code `damaged` if it is not a bundle or was changed, `notFound` if there is no
    ///   such file or it is of another log, `notPermitted` if the file may not be read or the store is read-only,
    ///   `recovering` if it is the one of a recovery; `notPermitted` also if it is sealed, and no key here opens it. The segments before the failing one stay applied.
    public func applyBundle(_ path: String) async throws -> BundleApplied {
        try requireWritable()
        try requireWhole()
        try await introduce()
        let reader = try BundleReader(path, of: self)
        return try describing {
            var applied = BundleApplied()
            let storeLog = StoreLog(store: self)
            do {
                while let frames = try reader.frames(of: log.id) {
                    let received = try storeLog.receive(frames, arrival: surroundings.now())
                    applied.ranges += frames.count
                    applied.events += received.newCount
                    applied.returned += received.returnedCount
                    applied.repeated += received.repeatedCount
                    applied.pending += received.pending
                    applied.apart += received.apart
                }
            } catch {
                // What the segments before had is kept, values of events that were here without them included.
                try storeLog.fill()
                throw error
            }
            try storeLog.fill()
            return applied
        }
    }
}

/// Reads a bundle, one segment at a time.
final class BundleReader {
    private let handle: FileHandle
    private let path: String
    private let store: Store
    private var isFirst = true
    /// What opens the pieces, and the number of the last one; `nil` if the bundle lies open.
    private var sealed: (keys: LogKeys, number: Int)?

    /// Opens the file at `path`, a bundle of the log of `store`.
    ///
    /// - Throws: ``StoreError`` with code `notFound` if no regular file can be opened there.
    init(_ path: String, of store: Store) throws {
        self.store = store
        // Without O_NONBLOCK, opening a FIFO would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        var status = stat()
        guard descriptor >= 0 else {
            if errno == ENOENT { throw StoreError(.notFound, "There is no file \(path).", hint: "Check the name.") }
            throw StoreError(system: errno, "The bundle \(path) cannot be opened")
        }
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            _ = Foundation.close(descriptor)
            throw StoreError(
                .notFound, "\(path) is not a file.", hint: "Name another file. To write a bundle: \(.createBundle)")
        }
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        self.path = path
    }

    /// Returns the ranges of the next segment, each verified; `nil` at the end.
    ///
    /// - Throws: ``StoreError`` with code `damaged` if it is not a segment or was changed, `notFound` if it is of
    ///   another log.
    func frames(of log: LogID) throws -> [RangeFrame]? {
        guard let bytes = try next() else { return nil }
        let segment: Segment
        do throws(Segment.Failure) { segment = try Segment(reading: bytes, of: log) } catch { throw refusal(error) }
        return try segment.ranges.map { bytes in
            do throws(RangeError) { return try RangeFrame(reading: bytes, of: log) } catch {
                throw StoreError(
                    .damaged, "The bundle \(path) was changed: a range in it is not what was signed (\(error)).",
                    hint: "Get the bundle again from where it came.")
            }
        }
    }

    private func refusal(_ failure: Segment.Failure) -> StoreError {
        if case .otherLog(let log) = failure {
            return StoreError(
                .notFound, "The bundle \(path) is from another log, \(log.short).",
                hint: "\(.chooseStoreOfLog).")
        }
        return StoreError(
            .damaged, "\(path) is not a bundle, or was changed on its way (\(failure)).",
            hint: "Get the bundle again from where it came.")
    }

    /// Returns the bytes of the next segment; `nil` at the end. If the file ends within the segment, they are fewer
    /// than its header states, and `Segment` refuses them.
    private func next() throws -> [UInt8]? {
        if sealed != nil { return try nextSealed() }
        let start = try read(8)
        if start.isEmpty, !isFirst { return nil }
        if isFirst, start.count == 8, start.span.bytes.uint32(at: 0) == SealedBundle.magic {
            sealed = (try keys(fileOf: Int(start.span.bytes.uint32(at: 4))), 0)
            return try nextSealed()
        }
        isFirst = false
        let span = start.span.bytes
        guard start.count == 8, span.uint32(at: 0) == Segment.magic, span.uint32(at: 4) >= 8,
            span.uint32(at: 4) <= Segment.byteLimit
        else { throw notABundle }
        let length = Int(span.uint32(at: 4))
        return start + (try read(length - 8))
    }

    /// Reads the key file of a sealed bundle, and returns what opens it.
    private func keys(fileOf byteCount: Int) throws -> LogKeys {
        guard (1...KeyFile.byteLimit).contains(byteCount) else { throw notABundle }
        guard let file = try? KeyFile(reading: try read(byteCount)) else { throw notABundle }
        guard let keys = try store.logKeys(opening: file) else {
            throw StoreError(
                .notPermitted, "The bundle \(path) is sealed, and no key here opens it.",
                hint: "It is of another log, or this device does not belong to its log yet.")
        }
        // A device that has the key already needs no wrap in the file: it looks nevertheless whether anything was changed.
        guard let key = keys.keyring.key(of: file.epoch), (try? file.contents(with: key)) != nil else {
            throw notABundle
        }
        return keys
    }

    private func nextSealed() throws -> [UInt8]? {
        guard let (keys, number) = sealed else { return nil }
        let start = try read(4)
        if start.isEmpty, number > 0 { return nil }
        guard start.count == 4, case let length = Int(start.span.bytes.uint32(at: 0)),
            (1...SealedBundle.byteLimit).contains(length)
        else { throw notABundle }
        sealed = (keys, number + 1)
        let piece = try read(length)
        guard piece.count == length else { throw notABundle }
        do { return try SealedBundle.open(piece, number + 1, with: keys) } catch {
            throw StoreError(
                .damaged, "\(path) was changed on its way: piece \(number + 1) cannot be opened, since \(error).",
                hint: "Get the bundle again from where it came.", cause: error)
        }
    }

    /// Reads `count` bytes, or what is left.
    private func read(_ count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count, let more = try handle.read(upToCount: count - bytes.count), !more.isEmpty {
            bytes += more
        }
        return bytes
    }

    private var notABundle: StoreError {
        StoreError(
            .damaged, "\(path) is not a bundle, or was changed on its way.",
            hint: "Get the bundle again from where it came.")
    }
}
