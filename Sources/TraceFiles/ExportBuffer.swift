/// Bytes that wait until there are enough of them to hand out.
struct ExportBuffer {
    /// The room; what stands behind ``end`` means nothing.
    var storage: [UInt8]
    /// How many bytes wait.
    var end = 0

    /// A buffer with room for 64 KiB.
    init() { storage = [UInt8](repeating: 0, count: 65_536) }

    /// Makes sure that there is room for `byteCount` more, handing out what waits where that is needed.
    mutating func makeRoom(for byteCount: Int, _ sink: TraceWriter.Sink) throws {
        if storage.count - end >= byteCount { return }
        try flush(to: sink)
        if storage.count < byteCount { storage = [UInt8](repeating: 0, count: byteCount) }
    }

    /// Appends `bytes`.
    mutating func append(_ bytes: some Collection<UInt8>, to sink: TraceWriter.Sink) throws {
        try makeRoom(for: bytes.count, sink)
        for byte in bytes {
            storage[end] = byte
            end += 1
        }
    }

    /// Hands out all that waits.
    mutating func flush(to sink: TraceWriter.Sink) throws {
        if end == 0 { return }
        let bytes = Array(storage[..<end])
        end = 0
        try sink(bytes)
    }
}
