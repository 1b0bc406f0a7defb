import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveReplication
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
    /// - Parameters:
    ///   - vector: What the recipient has; if this is empty, everything is written.
    ///   - path: The path of the file. It is replaced when the bundle is complete, and unchanged after an error.
    /// - Throws: ``StoreError`` with code `notPermitted` if the store is read-only, since only a replica can sign a
    ///   bundle; errors of the disk.
    public func createBundle(missingFrom vector: VersionVector = VersionVector(), to path: String) async throws
        -> BundleMade
    {
        try requireWritable()
        guard let writer else { preconditionFailure("A store that can be written has a writer.") }
        try await introduce()
        return try describing {
            let identity = writer.identity
            let bundle = try Bundle(of: log, as: identity, missingFrom: vector)
            var made = BundleMade()
            var file = try AtomicFile(path)
            try bundle.write { segment, frames in
                try file.write(segment)
                made.ranges += frames.count
                made.events += frames.reduce(0) { $0 + $1.range.count }
                made.bytes += segment.count
            }
            try file.finish()
            return made
        }
    }

    /// Applies the events of a bundle to this store.
    ///
    /// - Throws: ``StoreError`` with code `damaged` if it is not a bundle or was changed, `notFound` if there is no
    ///   such file or it is of another log, `notPermitted` if the file may not be read or the store is read-only,
    ///   `recovering` if it is the one of a recovery. The segments before the failing one stay applied.
    public func applyBundle(_ path: String) async throws -> BundleApplied {
        try requireWritable()
        try requireWhole()
        try await introduce()
        let reader = try BundleReader(path)
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
    private var isFirst = true

    /// Opens the file at `path`.
    ///
    /// - Throws: ``StoreError`` with code `notFound` if no regular file can be opened there.
    init(_ path: String) throws {
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
        let start = [UInt8](try handle.read(upToCount: 8) ?? Data())
        if start.isEmpty, !isFirst { return nil }
        isFirst = false
        let span = start.span.bytes
        guard start.count == 8, span.uint32(at: 0) == Segment.magic, span.uint32(at: 4) >= 8,
            span.uint32(at: 4) <= Segment.byteLimit
        else {
            throw StoreError(
                .damaged, "\(path) is not a bundle, or was changed on its way.",
                hint: "Get the bundle again from where it came.")
        }
        let length = Int(span.uint32(at: 4))
        var bytes = start
        while bytes.count < length, let more = try handle.read(upToCount: length - bytes.count), !more.isEmpty {
            bytes += more
        }
        return bytes
    }
}
