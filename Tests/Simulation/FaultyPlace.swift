import GroundwaveEvents
import GroundwaveReplication
import GroundwaveSeededNumbers
import Synchronization

/// A place at which things go wrong while somebody looks at it.
struct FaultyPlace: Sendable {
    let transport: any Transport
    private let state: Mutex<State>.Reference
    /// Only devices of this group reach it.
    var group = 0

    fileprivate struct State {
        var numbers: SeededGenerator
        var percent = 0
        var met: [Fault] = []
    }

    /// - Parameter storage: An empty storage; one in memory if not given.
    init(seed: UInt64, storage: (any Transport)? = nil) {
        let state = Mutex<State>.Reference(State(numbers: SeededGenerator(seed: seed)))
        self.state = state
        let faults: MemoryTransport.FaultsOfRequest = { request, faults in
            state.withLock { $0.faults(of: request, faults) }
        }
        transport =
            storage.map { FaultyStorage(storage: $0, faultsOfRequest: faults) }
            ?? MemoryTransport(faultsOfRequest: faults)
    }

    /// Lets one request in so many of a hundred fail from now on.
    func setFaults(_ percent: Int) {
        state.withLock {
            $0.percent = percent
            $0.met = []
        }
    }

    /// What had an effect since faults were set.
    var met: [Fault] { state.withLock { $0.met } }

    /// Somebody clears the folder.
    func empty(_ truth: Truth) async throws {
        truth.tell("a place is emptied")
        if try await RemoteInventory.delete(at: transport) > 1 { truth.met(.emptiedPlace) }
    }
}

extension FaultyPlace.State {
    fileprivate mutating func faults(
        of request: MemoryTransport.Request, _ faults: MemoryTransport.Faults
    ) -> MemoryTransport.Faults {
        var faults = faults
        guard percent > 0 else { return faults }
        switch request {
        case .put, .replace:
            guard numbers.happens(percent) else { break }
            switch numbers.number(0...2) {
            case 0: (faults.isUnreachable, met) = (true, met + [.unreachable])
            case 1: (faults.roomBytes, met) = (0, met + [.fullPlace])
            default: (faults.putsFailAfterwards, met) = (true, met + [.lostAnswer])
            }
        case .get:
            guard numbers.happens(max(percent / 3, 2)) else { break }
            if numbers.happens(50) {
                (faults.isUnreachable, met) = (true, met + [.unreachable])
            } else {
                (faults.getsEndAfterBytes, met) = (numbers.number(0...400), met + [.truncation])
            }
        case .list, .folders:
            guard numbers.happens(percent) else { break }
            if numbers.happens(30) {
                (faults.isUnreachable, met) = (true, met + [.unreachable])
            } else {
                (faults.listingsLackObjects, met) = (numbers.number(1...5), met + [.staleListing])
            }
        case .delete: break
        }
        return faults
    }
}

extension Mutex where Value: Sendable {
    /// A lock that several hold.
    final class Reference: Sendable {
        private let mutex: Mutex<Value>

        init(_ value: Value) { mutex = Mutex(value) }

        func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result { mutex.withLock { body(&$0) } }
    }
}
