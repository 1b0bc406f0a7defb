import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveRecords
import GroundwaveReplication
import GroundwaveStore

/// A replica of the log: a device, an earlier replica of a device whose store was copied or restored from a backup,
/// or a branch of a forked history.
public struct ReplicaInformation: Hashable, Sendable {
    /// Its ID.
    public let id: ReplicaID
    /// The name of its device; `nil` if its first event has not arrived.
    public let device: String?
    /// The number of its events here.
    public let events: UInt64
    /// When the last of them was written, by its clock, or at the latest if that was declared as wrong: milliseconds since
    /// 1970.
    public let lastWritten: Int64?
    /// By how many milliseconds its clock was ahead when it wrote that one; `nil` unless its clock was declared as wrong.
    public let clockWasAhead: Int64?
    /// By how many milliseconds its clock seems to have been ahead then, by the clock of this device; `nil` unless that is a
    /// day or more. A suspicion alone changes nothing.
    public let clockSeemsAhead: Int64?
    /// The time of its last manifest at a remote, by its clock: milliseconds since 1970.
    public let lastManifest: Int64?
    /// The replica that it continues, or from which it branched.
    public let former: ReplicaID?
    /// The replicas that continue it or branched from it; empty for a replica that still writes.
    public let successors: [ReplicaID]
    /// Whether this device writes as it.
    public let isThisDevice: Bool
    /// Whether it was retired: see ``Store/retire(_:note:author:)``.
    public let isRetired: Bool
    /// Whether it was retired and has given a sign of life since.
    public let hasReturned: Bool
}

extension Store {
    /// Returns all known replicas of the log: first those that still write, then the others, each in order of ID. Of a sealed log
    /// also those that belong to it and of which nothing has arrived, such as the code of an invitation.
    ///
    /// - Throws: As ``read(_:)``.
    /// - Complexity: A few look-ups for each replica.
    public func replicas() throws -> [ReplicaInformation] {
        let names = try deviceNames()
        let former = try formerReplicas()
        return try describing {
            let (vector, streams) = (try log.vector(), try log.streams())
            let known = try manifests()
            let retirements = try retirements(by: known.values.flatMap { $0 })
            let manifests = known.mapValues { $0.map(\.milliseconds).max() }
            let roster = try log.roster()
            // The first one is the recovery phrase, which is no device.
            let members = roster.map { roster in roster.order.dropFirst().filter(roster.isMember) } ?? []
            let all = Set(vector.entries.map(\.replica)).union(manifests.keys).union(former.values)
                .union(replica.map { [$0] } ?? []).union(members)
            let (declared, now) = (try views.declaredClocks(), surroundings.now().wallMilliseconds)
            let found = try all.map { id in
                let stamp = try log.lastStamp(of: id)
                let counted = stamp.map { declared.stamp($0, of: id) }
                return ReplicaInformation(
                    id: id, device: names[id], events: vector[id], lastWritten: counted?.milliseconds,
                    clockWasAhead: stamp.flatMap { stamp in
                        counted.flatMap { $0 < stamp ? stamp.milliseconds - $0.milliseconds : nil }
                    },
                    clockSeemsAhead: counted.flatMap { $0.isFarAhead(ofWall: now) ? $0.milliseconds - now : nil },
                    lastManifest: manifests[id] ?? nil, former: former[id] ?? streams.branches[id]?.parent,
                    successors: former.filter { $0.value == id }.map(\.key).sorted() + streams.children(of: id),
                    isThisDevice: id == replica, isRetired: retirements.isRetired(streams.origin(of: id)),
                    hasReturned: retirements.returned.contains(streams.origin(of: id)))
            }
            func order(_ one: ReplicaInformation) -> (Int, ReplicaID) {
                (one.successors.isEmpty && streams.branches[one.id] == nil ? 0 : 1, one.id)
            }
            return found.sorted { order($0) < order($1) }
        }
    }
}

extension Store {
    /// Renames the device of a replica, on all devices. The previous name stays in the history; `undo` does not
    /// restore it.
    ///
    /// - Parameters:
    ///   - replica: A replica; a branch has the name of its original replica.
    ///   - name: One line of at most 64 characters, without control characters.
    /// - Returns: Whether anything was written.
    /// - Throws: ``StoreError`` with code `usage` if the name is invalid; `notFound` if there is no such replica.
    ///   Then nothing was written.
    /// - Complexity: At most one commit.
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
                    .notFound, "There is no device \(replica.short).", hint: "To see them: \(.list(.devices))")
            }
            return try batch.set(ReplicaKind.name, id, [Assignment("DEVICE", text: name)])
        }
    }
}

extension Store {
    /// Returns the manifests of each store at the remotes of this device.
    package func manifests() throws -> [ReplicaID: [Manifest]] {
        Dictionary(
            grouping: try remotes().flatMap { files.readCache(of: $0.name).manifests.values }, by: \.store)
    }

    /// Returns, for each replica that continues another one, that other one, which writes nothing more. What one says that was
    /// never approved is not believed.
    package func formerReplicas() throws -> [ReplicaID: ReplicaID] {
        let roster = try describing { try log.roster() }
        return try read { view in
            var former: [ReplicaID: ReplicaID] = [:]
            try view.forEachRecord(of: ReplicaKind.name) { record in
                let replica = ReplicaID(high: record.id.high, low: record.id.low)
                let isBelieved = roster.map { $0.counts(EventID(replica, 1)) } ?? true
                if isBelieved, let value = ReplicaKind.schema.value(of: "FORMER", in: record) {
                    former[ReplicaID(high: record.id.high, low: record.id.low)] =
                        ReplicaID(text: String(decoding: value, as: UTF8.self))
                }
                return true
            }
            return former
        }
    }
}
