/// A buffer that collects bytes before they are passed to the sink.
struct ExportBuffer {
    /// The memory of the buffer; the bytes from ``end`` on are undefined.
    var storage: [UInt8]
    /// The number of buffered bytes.
    var end = 0

    /// Creates a buffer of 64 KiB.
    init() { storage = [UInt8](repeating: 0, count: 65_536) }

    /// Makes room for `byteCount` more bytes, flushing the buffer if necessary.
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

    /// Passes all buffered bytes to the sink.
    mutating func flush(to sink: TraceWriter.Sink) throws {
        if end == 0 { return }
        let bytes = Array(storage[..<end])
        end = 0
        try sink(bytes)
    }
}
