import Groundwave
import GroundwaveWording
import Synchronization

/// What is said wherever a store is shown that is still being joined.
enum JoiningRemark {
    /// The same for scripts: the key `joining` of every JSON object.
    struct Body: Encodable {
        var from: String
        var snapshot: String
        var events: UInt64
        var of: UInt64
    }

    private static let shown = Mutex<Body?>(nil)

    /// What is shown now, if that is a store that is being joined.
    static var body: Body? { shown.withLock { $0 } }

    /// Says it on standard error, and in every JSON object that is printed from now on.
    static func print(of store: JoiningStore) {
        let (events, total) = (store.receivedEvents, store.snapshot.vector.eventCount)
        let body = Body(
            from: store.address, snapshot: UTCText.milliseconds(store.snapshot.created), events: events, of: total)
        shown.withLock { $0 = body }
        Terminal.remark(
            "History is still being fetched: \(events) of \(NumberText.count(total, "event")). Shown is the snapshot of "
                + "\(TimeText.milliseconds(store.snapshot.created)).")
    }
}
