/// Keeps apart what a meter sends now and what it had sent before a connection, and that lay in a buffer on the way
/// (baryluk/fnirsi-usb-power-data-logger#4: the first row after a reconnection says 188.7 V).
struct Fence: Sendable {
    // What is left to be done before a frame is let through.
    private enum State: Hashable {
        // Nothing: also where nobody speaks of connections, as in a capture that is read from a file.
        case open
        // The meter has not been asked for anything: whatever it says is an answer to somebody before.
        case closed
        // It has been asked, and may say something old first.
        case skipping(Int)
    }

    private var state = State.open
    /// How many frames are old even after the meter was asked: for meters that push, and have queues.
    let framesToSkip: Int

    init(framesToSkip: Int = 0) { self.framesToSkip = framesToSkip }

    /// Lets nothing through until the meter is asked.
    mutating func close() { state = .closed }

    /// Notes that the meter has been asked for the first time, or once more.
    mutating func open() {
        if state == .closed { state = framesToSkip > 0 ? .skipping(framesToSkip) : .open }
    }

    /// Whether a whole frame of measurements, which is here now, is let through; one that is not is stale.
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
