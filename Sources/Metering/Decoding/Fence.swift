/// Separates the frames that a meter sends now from those sent before a connection and held in a buffer since
/// (baryluk/fnirsi-usb-power-data-logger#4: the first row after a reconnection reads 188.7 V).
struct Fence: Sendable {
    // The condition for the next frame to pass.
    private enum State: Hashable {
        // Every frame passes. Also the state if no connection is ever reported, as for a capture read from a file.
        case open
        // No request has been sent: every frame answers an earlier connection.
        case closed
        // A request has been sent; this many frames may still be old.
        case skipping(Int)
    }

    private var state = State.open
    /// The number of frames that are old even after a request: for meters that push, and have queues.
    let framesToSkip: Int

    init(framesToSkip: Int = 0) { self.framesToSkip = framesToSkip }

    /// Lets no frame pass until a request is sent.
    mutating func close() { state = .closed }

    /// Records that a request was sent to the meter. Only the first one after ``close()`` has an effect.
    mutating func open() {
        if state == .closed { state = framesToSkip > 0 ? .skipping(framesToSkip) : .open }
    }

    /// Consumes one complete frame of measurements and returns whether it passes; if not, it is stale.
    mutating func letsThrough() -> Bool {
        switch state {
        case .open: return true
        case .closed: return false
        case .skipping(let count):
            state = count > 1 ? .skipping(count - 1) : .open
            return false
        }
    }
}
