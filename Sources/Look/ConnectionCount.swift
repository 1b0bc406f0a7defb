import NIOCore
import Synchronization

/// The open connections: no more than the limit.
final class ConnectionCount: Sendable {
    private let limit: Int
    private let open = Mutex<[ObjectIdentifier: any Channel]>([:])

    init(limit: Int) { self.limit = limit }

    /// Counts a connection until it is closed; returns `false` if there are too many.
    func enter(_ channel: any Channel) -> Bool {
        let id = ObjectIdentifier(channel)
        let isIn = open.withLock { open in
            guard open.count < limit else { return false }
            open[id] = channel
            return true
        }
        if isIn { channel.closeFuture.whenComplete { _ in self.leave(id) } }
        return isIn
    }

    /// Closes every connection.
    func closeAll() {
        for channel in open.withLock({ Array($0.values) }) { channel.close(promise: nil) }
    }

    private func leave(_ id: ObjectIdentifier) { _ = open.withLock { $0.removeValue(forKey: id) } }
}

/// Where the site is, once the port is known.
final class SitePlace: Sendable {
    private let place = Mutex<LookSite?>(nil)

    var site: LookSite? {
        get { place.withLock { $0 } }
        set { place.withLock { $0 = newValue } }
    }
}
