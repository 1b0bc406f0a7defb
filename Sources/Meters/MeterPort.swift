/// What a ``MeterFeed`` reads from: a ``MeterLine``, or a script of what one would give.
///
/// A port is used by one thread at a time.
package protocol MeterPort: AnyObject {
    /// Whether it is a file: all bytes are there already, and nothing receives commands.
    var isFile: Bool { get }
    /// Whether a meter at the other end receives what is sent.
    var canSend: Bool { get }
    /// Waits at most `milliseconds` for bytes.
    ///
    /// - Throws: ``StoreError`` if the device is gone.
    func read(waitingMilliseconds milliseconds: Int) throws -> MeterLine.Arrival
    /// Whether more bytes are waiting to be read.
    func hasMore() -> Bool
    /// Sends a command, if there is a device to receive it.
    func send(_ bytes: [UInt8]) throws
}
