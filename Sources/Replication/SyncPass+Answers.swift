import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat

/// What this store pushes again because others request it.
///
/// Requests come from outside, and an answer makes the remote grow for everybody. So each event is pushed again at most
/// once in a pass and once in a day, whoever requests it and however often; and a pass pushes at most 16 MiB for one store,
/// and the rest in the next one.
struct Answers {
    /// A range that another store requests again.
    struct Wanted {
        let range: EventRange
        /// Whether that store has the events, and so requests their values.
        let hasEvents: Bool
    }

    /// The requests of one store.
    private struct Request {
        let store: ReplicaID
        let milliseconds: Int64
        var ranges: [Wanted] = []
        var byteCount = 0
        /// Whether nothing is left for a later pass.
        var isWhole = true
    }

    /// The size at which a pass ends its answers to one store, in bytes.
    static let byteLimit = 16 << 20

    /// The requests that are not finished, in order.
    private var requests: [Request] = []
    private var pushed: [EventRange] = []
    /// The stores whose requests were answered, with the times of their manifests.
    private(set) var finished: [(store: ReplicaID, milliseconds: Int64)] = []

    /// - Parameters:
    ///   - manifests: The manifests of others with requests that were not answered yet.
    ///   - repeated: What was pushed again already today.
    ///   - vector: The events of this store.
    init(to manifests: [Manifest], without repeated: EventSet, having vector: VersionVector) {
        var planned = EventSet()
        for manifest in manifests {
            var request = Request(store: manifest.store, milliseconds: manifest.milliseconds)
            for range in manifest.wanted {
                let last = min(range.last, vector[range.replica])
                guard range.first <= last else { continue }
                let here = EventSet([EventRange(range.replica, range.first, through: last)])
                let due = here.subtracting(repeated)
                request.isWhole = request.isWhole && due == here
                let hasEvents = last <= manifest.vector[range.replica]
                request.ranges += due.subtracting(planned).ranges.map { Wanted(range: $0, hasEvents: hasEvents) }
                planned.formUnion(due)
            }
            requests.append(request)
        }
        finish()
    }

    /// The next range to push.
    var next: Wanted? { requests.first?.ranges.first }

    /// Goes on behind `frame`, which has the first events of the next range; `nil` if none of it can be proved.
    mutating func advance(by frame: RangeFrame?, isPushed: Bool) {
        guard let next else { return }
        requests[0].ranges.removeFirst()
        if let frame {
            let end = next.range.first + frame.range.count - 1
            if isPushed {
                pushed.append(EventRange(next.range.replica, next.range.first, through: end))
                requests[0].byteCount += frame.bytes.count
            }
            if end < next.range.last {
                let rest = EventRange(next.range.replica, end + 1, through: next.range.last)
                requests[0].ranges.insert(Wanted(range: rest, hasEvents: next.hasEvents), at: 0)
            }
        }
        finish()
    }

    /// Returns what was pushed since the last call.
    mutating func takePushed() -> [EventRange] {
        defer { pushed = [] }
        return pushed
    }

    private mutating func finish() {
        while let first = requests.first {
            let isFull = first.byteCount >= Self.byteLimit && !first.ranges.isEmpty
            guard first.ranges.isEmpty || isFull else { return }
            if first.isWhole, !isFull { finished.append((first.store, first.milliseconds)) }
            requests.removeFirst()
        }
    }
}

extension SyncPass {
    /// Returns what is to be pushed again.
    mutating func answers(of manifest: Manifest) -> Answers {
        let wall = now().wallMilliseconds
        cache.beginDay(at: wall, lasting: Self.fullPassMilliseconds)
        let asking = cache.manifests.values.sorted { $0.store < $1.store }.filter { other in
            other.store != identity.replica && !other.wanted.isEmpty
                && cache.answered[other.store] != other.milliseconds
        }
        return Answers(to: asking, without: cache.repeated, having: manifest.vector)
    }

    /// Records that another store has pushed events again that are here, with all their values: nobody has to do it again.
    mutating func noteRepeated(_ frames: [RangeFrame]) throws {
        let here = try log.provenVector(signedBy: identity)
        cache.beginDay(at: now().wallMilliseconds, lasting: Self.fullPassMilliseconds)
        for frame in frames where frame.range.last <= here[frame.range.replica] {
            let isWhole = try (frame.range.first...frame.range.last).allSatisfy { sequence in
                try frame.withEvent(sequence) { event, _ in !event.isWithheld }
            }
            if isWhole { cache.repeated.insert(frame.range) }
        }
    }
}
