/// A connection of an application's own with another device: Bluetooth, a peer-to-peer framework, a pipe.
///
/// A conforming type guarantees:
/// - **Order.** Bytes arrive once and in the order in which they were written, up to where the stream ends. They need
///   not arrive in the pieces in which they were written.
/// - **Both ways at once.** One task reads while another one writes.
/// - **Bounded memory.** A write suspends while the other side does not read.
/// - **An end.** After a close by either side, every call ends soon, with a result or an error.
/// - **Cancellation.** When the task is cancelled, a call ends soon, with a result or an error.
///
/// What arrives is checked like any input from outside. The stream encrypts and authenticates, if anything does.
public protocol ByteStream: Sendable {
    /// Returns bytes as soon as there are any, at least one and at most `limit`; `nil` when the other side has closed the
    /// stream, and everything that it wrote has been returned.
    ///
    /// - Throws: Any error if the connection is broken.
    func read(upTo limit: Int) async throws -> [UInt8]?

    /// Writes all of `bytes`, and returns when they are on their way.
    ///
    /// - Throws: Any error if the connection is broken or closed. Then any part of the bytes may have been written.
    func write(_ bytes: [UInt8]) async throws

    /// Closes the stream in both directions; what was written before still arrives. Does nothing if it is closed.
    func close() async
}
