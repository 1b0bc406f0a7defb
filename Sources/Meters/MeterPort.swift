/// What a ``MeterFeed`` reads from: a ``MeterLine``, an ``HIDLine``, or a script of what one would give.
///
/// A port is used by one thread at a time.
package protocol MeterPort: AnyObject {
    /// Whether it is a file: all bytes are there already, and nothing receives commands.
    var isFile: Bool { get }
    /// Whether a meter at the other end receives what is sent.
    var canSend: Bool { get }
    /// Whether a device is behind it, which may be disconnected and come back.
    var canReturn: Bool { get }
    /// Waits at most `milliseconds` for bytes.
    ///
    /// - Throws: ``StoreError`` if the device reports an error. If it is gone, the result is `end`.
    func read(waitingMilliseconds milliseconds: Int) throws -> MeterLine.Arrival
    /// Whether more bytes are waiting to be read.
    func hasMore() -> Bool
    /// Sends a command, if there is a device to receive it. If it is gone, the next read says so.
    func send(_ bytes: [UInt8]) throws
    /// After the end: opens the device anew if it is there again, as at the beginning; else waits for `milliseconds`.
    ///
    /// - Returns: Whether the device is there.
    /// - Throws: ``StoreError`` with code `busy` if another program has it.
    func reopen(waitingMilliseconds milliseconds: Int) throws -> Bool
}
