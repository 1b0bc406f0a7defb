import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveMDBPages

/// Reads found events from a file again, several at once.
package struct FrameWindow {
    private let file: PageFile
    private var bytes: [UInt8] = []
    private var start = 0

    private static let size = 1 << 20

    package init(_ file: PageFile) { self.file = file }

    /// Returns the bytes of `found` in the file.
    ///
    /// - Throws: ``EventLogError`` if the disk returns another event than before: it must not enter a new log.
    package mutating func bytes(of found: FoundFrame) throws -> [UInt8] {
        // Late events are not stored beside their neighbours.
        if found.isLate { return try whole(file.read(found.length, at: found.offset), found) }
        if found.offset < start || found.offset + found.length > start + bytes.count {
            start = found.offset
            bytes = try file.read(Swift.max(Self.size, found.length), at: found.offset)
        }
        let offset = found.offset - start
        guard offset + found.length <= bytes.count else {
            throw EventLogError.damaged(
                "an event that could be read before")
        }
        return try whole(Array(bytes[offset..<offset + found.length]), found)
    }

    private func whole(_ bytes: [UInt8], _ found: FoundFrame) throws -> [UInt8] {
        guard try Frame(verifying: bytes.span.bytes, at: found.position).id == found.event else {
            throw EventLogError.damaged("an event that could be read before")
        }
        return bytes
    }
}

extension Salvage {
    /// Passes the found events to `body`, in log order.
    public func forEachEvent(_ body: (Frame, [UInt8]) throws -> Void) throws {
        var window = FrameWindow(file)
        for found in frames {
            let bytes = try window.bytes(of: found)
            try body(try Frame(bytes.span.bytes, at: found.position), bytes)
        }
    }
}
