import GroundwaveEvents

/// A promise that a history has shown to be broken.
struct BrokenPromise: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// What can go wrong while a log commits.
enum Mishap: Error {
    /// The disk had no room: nothing was changed.
    case commitFailed
    /// The power went right behind the commit: nobody was told.
    case powerWent
}

/// What can go wrong in a history. Counted where it had an effect, not where it was tried.
enum Fault: Int, CaseIterable, Sendable {
    case cutConnection, garbage, repeatedRange, reorderedRange, partition, truncation, skewedClock
    case crash, crashBehindCommit, failedCommit, lostNotes
    case restoreNoticed, restoreUnnoticed, clone, fork, lostDevice
    case unreachable, fullPlace, lostAnswer, staleListing, emptiedPlace
    case olderView, sameImport, erasure, erasedRecord, relatedRecord, unknownEvent
}

/// What all parts of one history know.
final class Truth {
    /// How often each fault had an effect.
    private(set) var counts = [Int](repeating: 0, count: Fault.allCases.count)
    /// Replicas that may have two histories: two devices wrote under one name without knowing.
    private(set) var mayFork: Set<ReplicaID> = []
    /// A hash of everything that happened, in order.
    private(set) var trace: UInt64 = 0xCBF2_9CE4_8422_2325
    /// Whether to print what happens.
    let isTold: Bool
    var step = 0

    init(isTold: Bool) { self.isTold = isTold }

    func met(_ fault: Fault) { counts[fault.rawValue] += 1 }

    func allowFork(of replica: ReplicaID) { mayFork.insert(replica) }

    func note(_ numbers: UInt64...) {
        for number in numbers { trace = (trace ^ number) &* 0x0000_0100_0000_01B3 ^ (trace >> 29) }
    }

    func tell(_ text: @autoclosure () -> String) { if isTold { print("step \(step): \(text())") } }
}

extension Set where Element == ReplicaID {
    /// Whether none of `ranges` is of a replica outside.
    func holds(_ ranges: [EventRange]) -> Bool { ranges.allSatisfy { contains($0.replica) } }
}
