import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveRecords
import GroundwaveReplication
import GroundwaveStore

/// A replica of the log: one device, what a device was before its store was copied or put back, or a history of it that
/// parted from another one.
public struct ReplicaInformation: Hashable, Sendable {
    /// Which.
    public let id: ReplicaID
    /// The name of its device; `nil` where its first event has not come.
    public let device: String?
    /// How many of its events are here.
    public let events: UInt64
    /// When the last of them was written, by its clock: milliseconds since 1970.
    public let lastWritten: Int64?
    /// When it last said at a remote what it has, by its clock.
    public let lastSaid: Int64?
    /// The replica that it goes on from, or of which it is one of several histories.
    public let former: ReplicaID?
    /// The replicas that go on from it: none for one that writes.
    public let successors: [ReplicaID]
    /// Whether this device writes as it.
    public let isThisDevice: Bool
}

extension Store {
    /// All replicas of the log that are known here, those that write first; in order of id.
    public func replicas() throws -> [ReplicaInformation] {
        let names = try deviceNames()
        let former = try formerReplicas()
        return try describing {
            let (vector, streams) = (try log.vector(), try log.streams())
            let said = try statements().mapValues { $0.map(\.milliseconds).max() }
            let all = Set(vector.entries.map(\.replica)).union(said.keys).union(former.values)
                .union(replica.map { [$0] } ?? [])
            let found = try all.map { id in
                let last = try log.position(of: EventID(id, vector[id]))
                return ReplicaInformation(
                    id: id, device: names[id], events: vector[id],
                    lastWritten: try last.flatMap {
                        try log.withEvent(at: $0) { frame, _ in frame.stamp.milliseconds }
                    },
                    lastSaid: said[id] ?? nil, former: former[id] ?? streams.branches[id]?.parent,
                    successors: former.filter { $0.value == id }.map(\.key).sorted() + streams.children(of: id),
                    isThisDevice: id == replica)
            }
            func order(_ one: ReplicaInformation) -> (Int, ReplicaID) {
                (one.successors.isEmpty && streams.branches[one.id] == nil ? 0 : 1, one.id)
            }
            return found.sorted { order($0) < order($1) }
        }
    }
}

extension Store {
    /// Calls the device of a replica otherwise, on all devices. What it was called before stays in the history; `undo` does
    /// not change it back.
    ///
    /// - Parameters:
    ///   - replica: A replica; one of several histories has the name of the replica that it is of.
    ///   - name: One line of at most 64 characters, none of which acts on a terminal.
    /// - Returns: Whether anything was written.
    /// - Throws: ``StoreError`` with code `usage` where that is no name; `notFound` where there is no such replica. Then
    ///   nothing was written.
    @discardableResult
    public func rename(
        _ replica: ReplicaID, to name: String, note: String = "", author: String? = nil
    ) async throws -> Written<Bool> {
        let name = try DeviceName.checked(name)
        let origin = try describing { try log.streams().origin(of: replica) }
        return try await write(note: note, author: author) { batch in
            let id = RecordID(high: origin.high, low: origin.low)
            guard try batch.record(ReplicaKind.name, id) != nil else {
                throw StoreError(
                    .notFound, "There is no device \(replica.short).", hint: "groundwave replicas lists them.")
            }
            return try batch.set(ReplicaKind.name, id, [Assignment("DEVICE", text: name)])
        }
    }
}

extension Store {
    /// What each store has said at the remotes of this device.
    package func statements() throws -> [ReplicaID: [Statement]] {
        Dictionary(
            grouping: try remotes().flatMap { files.readNotes(of: $0.name).statements.values }, by: \.store)
    }

    /// For each replica that goes on from another one: from which. That one will write nothing more.
    package func formerReplicas() throws -> [ReplicaID: ReplicaID] {
        try read { view in
            var former: [ReplicaID: ReplicaID] = [:]
            try view.forEachRecord(of: ReplicaKind.name) { record in
                if let value = ReplicaKind.schema.value(of: "FORMER", in: record) {
                    former[ReplicaID(high: record.id.high, low: record.id.low)] =
                        ReplicaID(text: String(decoding: value, as: UTF8.self))
                }
                return true
            }
            return former
        }
    }
}
