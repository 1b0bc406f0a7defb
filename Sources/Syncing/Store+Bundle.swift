import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveReplication
import GroundwaveStore

/// The contents of a bundle that was written.
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
    /// The number of events that are new here, or had been lost.
    public var events = 0
    /// The number of these that had been lost here with a damaged file.
    public var returned = 0
    /// The number of events that were here already.
    public var repeated: UInt64 = 0
    /// Ranges that are pending now, until the ranges that they follow arrive.
    public var pending: [EventRange] = []
    /// Ranges of another history of their replica than any that was here.
    public var apart: [EventRange] = []

    /// Creates an empty result.
    public init() {}
}

extension Store {
    /// Writes the events that a recipient is missing to a file, for a USB stick or a mail.
    ///
    /// The file is a sequence of segments, as at a remote: it identifies itself, and may be applied anywhere, in any
    /// order with others, any number of times.
    ///
    /// - Parameter vector: What the recipient has; if this is empty, everything is written.
    /// - Throws: ``StoreError`` with code `notPermitted` if the store is read-only: a bundle is signed.
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
            try bundle.write(now: surroundings.now()) { segment, frames in
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
    ///   such file, or it is of another log. The segments before the failing one stay applied.
    public func applyBundle(_ path: String) async throws -> BundleApplied {
        try requireWritable()
        try await introduce()
        let reader = try BundleReader(path)
        return try describing {
            var applied = BundleApplied()
            let storeLog = StoreLog(store: self)
            while let frames = try reader.frames(of: log.id) {
                let received = try storeLog.receive(frames, arrival: surroundings.now())
                applied.ranges += frames.count
                applied.events += received.newCount
                applied.returned += received.returnedCount
                applied.repeated += received.repeatedCount
                applied.pending += received.pending
                applied.apart += received.apart
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

    init(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            if descriptor >= 0 { _ = Foundation.close(descriptor) }
            throw StoreError(.notFound, "There is no file \(path).", hint: "Check the name.")
        }
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        self.path = path
    }

    /// Returns the ranges of the next segment, each checked; `nil` at the end.
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
                hint: "Name the store of that log with --store.")
        }
        return StoreError(
            .damaged, "\(path) is not a bundle, or was changed on its way (\(failure)).",
            hint: "Get the bundle again from where it came.")
    }

    /// Returns the bytes of the next segment; `nil` at the end.
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
