import Events

/// Reads events that were found in a file once more, some of them at once.
struct FrameWindow {
    private let file: PageFile
    private var bytes: [UInt8] = []
    private var start = 0

    private static let size = 1 << 20

    init(_ file: PageFile) { self.file = file }

    /// The bytes of `found` as they lie in the file.
    ///
    /// - Throws: ``EventLogError`` where the disk gives back something else than before: that must not come into a new log.
    mutating func bytes(of found: FoundFrame) throws -> [UInt8] {
        // What came late lies apart from its neighbours.
        if found.isLate { return try whole(file.read(found.length, at: found.offset), found) }
        if found.offset < start || found.offset + found.length > start + bytes.count {
            start = found.offset
            bytes = try file.read(Swift.max(Self.size, found.length), at: found.offset)
        }
        let offset = found.offset - start
        guard offset + found.length <= bytes.count else { throw EventLogError.damaged(
            "an event that could be read before") }
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
    /// Hands out the events that were found, in the order of the log.
    public func forEachEvent(_ body: (Frame, [UInt8]) throws -> Void) throws {
        var window = FrameWindow(file)
        for found in frames {
            let bytes = try window.bytes(of: found)
            try body(try Frame(bytes.span.bytes, at: found.position), bytes)
        }
    }
}
