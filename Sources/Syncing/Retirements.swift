import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveReplication
import GroundwaveStore

/// The last that is known of a replica: the number of its last event, and the time of its last manifest by its own clock,
/// in milliseconds since 1970. As text, two numbers with a blank between them.
struct SignOfLife: Hashable {
    var number: SequenceNumber = 0
    var milliseconds: Int64 = 0

    init() {}

    /// Reads the value of a field `RETIRED`; `nil` if it is not one.
    init?(reading value: [UInt8]) {
        let words = String(decoding: value, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, let number = SequenceNumber(words[0]), let milliseconds = Int64(words[1]) else {
            return nil
        }
        (self.number, self.milliseconds) = (number, milliseconds)
    }

    var text: String { "\(number) \(milliseconds)" }

    mutating func join(_ other: SignOfLife) {
        number = max(number, other.number)
        milliseconds = max(milliseconds, other.milliseconds)
    }

    /// Whether this says nothing that `other` does not say.
    func isCovered(by other: SignOfLife) -> Bool {
        number <= other.number && milliseconds <= other.milliseconds
    }
}

/// Which replicas were retired: their devices are gone for ever, so nobody waits for them.
///
/// A retirement is an event, so all devices agree. It names the last sign of life of the replica, and ends with the next
/// one: a later event of it, or a later manifest. Whatever its clock says, a manifest that names the retirement is later.
struct Retirements {
    /// The replicas that are retired.
    private(set) var retired: Set<ReplicaID> = []
    /// The replicas that were retired and have given a later sign of life.
    private(set) var returned: Set<ReplicaID> = []

    /// - Parameters:
    ///   - recorded: What the retirement of each replica names.
    ///   - signs: What is known of each replica now.
    ///   - aware: Those that have the retirement themselves.
    init(_ recorded: [ReplicaID: SignOfLife], knowing signs: [ReplicaID: SignOfLife], aware: Set<ReplicaID>) {
        for (replica, last) in recorded {
            if !aware.contains(replica), (signs[replica] ?? SignOfLife()).isCovered(by: last) {
                retired.insert(replica)
            } else {
                returned.insert(replica)
            }
        }
    }

    func isRetired(_ replica: ReplicaID) -> Bool { retired.contains(replica) }

    /// Returns those of `ranges` that are not of a retired replica.
    func living(_ ranges: [EventRange], _ streams: Streams) -> [EventRange] {
        retired.isEmpty ? ranges : ranges.filter { !isRetired(streams.origin(of: $0.replica)) }
    }
}

extension Store {
    /// Returns which replicas are retired, by what is known on this device.
    ///
    /// - Parameter manifests: All manifests of the devices.
    func retirements(by manifests: [Manifest]) throws -> Retirements {
        var (recorded, aware): ([ReplicaID: SignOfLife], Set<ReplicaID>) = ([:], [])
        try read { view in
            try view.forEachRecord(of: ReplicaKind.name) { record in
                // Of retirements that did not know of each other, that which knew more is the later one.
                for head in record[ReplicaKind.schema.key(for: "RETIRED")]?.heads ?? [] {
                    guard let last = head.value.flatMap(SignOfLife.init(reading:)) else { continue }
                    let replica = ReplicaID(high: record.id.high, low: record.id.low)
                    recorded[replica, default: last].join(last)
                    if manifests.contains(where: { $0.store == replica && $0.vector.contains(head.id.event) }) {
                        aware.insert(replica)
                    }
                }
                return true
            }
        }
        if let replica { recorded[try describing { try log.streams() }.origin(of: replica)] = nil }
        let signs = recorded.isEmpty ? [:] : try signsOfLife(in: manifests)
        return Retirements(recorded, knowing: signs, aware: aware)
    }

    /// Returns the stores that write nothing more: those of retired replicas; and those that another replica continues, if
    /// nothing was heard of them for a month, since a copied store may live on beside its copy.
    func abandonedStores() throws -> Set<ReplicaID> {
        let manifests = try manifests()
        let month: Int64 = 30 * 24 * 3_600_000
        let now = surroundings.now().wallMilliseconds
        let former = Set(try formerReplicas().values).filter { replica in
            let last = manifests[replica]?.map(\.milliseconds).max()
            return last.map { now.subtractingReportingOverflow($0).partialValue > month } ?? false
        }
        return try retirements(by: manifests.values.flatMap { $0 }).retired.union(former)
    }

    /// Returns the last that is known here of each replica. What the manifest of another device says of it does not
    /// count, since that device cannot speak for it.
    func signsOfLife(in manifests: [Manifest]) throws -> [ReplicaID: SignOfLife] {
        try describing {
            let streams = try log.streams()
            var signs: [ReplicaID: SignOfLife] = [:]
            func add(_ vector: VersionVector) {
                for entry in vector.entries {
                    let (number, overflow) = streams.base(of: entry.replica).addingReportingOverflow(entry.sequence)
                    var sign = SignOfLife()
                    sign.number = overflow ? .max : number
                    signs[streams.origin(of: entry.replica), default: sign].join(sign)
                }
            }
            add(try log.vector())
            add(try log.signedVector())
            for manifest in manifests {
                var sign = SignOfLife()
                sign.milliseconds = manifest.milliseconds
                sign.number = manifest.vector[manifest.store]
                signs[manifest.store, default: sign].join(sign)
            }
            return signs
        }
    }
}
