import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveMembership
import GroundwaveRecords
import GroundwaveReplication
import GroundwaveSealing
import GroundwaveStore

// The recovery phrase is a replica of its own, the most senior one, whose key are the words: whoever has them writes its events.
// No device keeps that key. If it is used on two devices that do not know of each other, its history forks, and both count.
extension Store {
    /// Lets a device into the log with the recovery phrase: see ``approve(_:note:author:)``.
    ///
    /// - Parameter words: The 12 words.
    /// - Returns: Whether anything was written.
    /// - Throws: ``StoreError`` with code `usage` if the words are no recovery phrase or the log is not sealed, `notPermitted`
    ///   if they are those of another log. Then nothing was written.
    public func approve(_ device: ReplicaID, byPhrase words: String) async throws -> Bool {
        try await approve(device, by: KnownPhrase(words))
    }

    /// Excludes a device from the log with the recovery phrase, also the one that has sealed it.
    ///
    /// - Returns: Whether anything was written; `false` if the phrase has excluded it already.
    /// - Throws: As ``approve(_:byPhrase:)``.
    public func revoke(_ device: ReplicaID, byPhrase words: String) async throws -> Bool {
        try await revoke(device, by: KnownPhrase(words))
    }

    /// Lets a device into the log with the recovery phrase. All revocations of it end. One that belongs is approved, too, unless
    /// the phrase has done that: see ``approve(_:note:author:)``.
    ///
    /// - Returns: Whether anything was written.
    /// - Throws: ``StoreError`` with code `usage` if the words are no recovery phrase or the log is not sealed, `notPermitted`
    ///   if they are those of another log. Then nothing was written.
    package func approve(_ device: ReplicaID, by phrase: KnownPhrase) async throws -> Bool {
        let (roster, device) = try roster(of: phrase, device)
        let identity = phrase.phrase.identity
        if roster.isMember(device), roster.isApproved(device, by: identity.replica) { return false }
        let ending = roster.revocations[device] ?? []
        let seen = try describing { try log.lastEvents(with: ending) }
        try await write(
            as: identity, named: "recovery phrase", note: "By the recovery phrase", observing: seen
        ) {
            RosterKind.approvals(of: device, ending: ending, $0)
        }
        guard try describing({ try log.roster() })?.isMember(device) == true else {
            throw Self.hadNoEffect("approve \(device.short)")
        }
        return true
    }

    /// Excludes a device from the log with the recovery phrase, also the one that has sealed it, and one that does not belong: see
    /// ``revoke(_:note:author:)``.
    ///
    /// - Returns: Whether anything was written; `false` if the phrase has excluded it already.
    /// - Throws: As ``approve(_:by:)``.
    package func revoke(_ device: ReplicaID, by phrase: KnownPhrase) async throws -> Bool {
        let (roster, device) = try roster(of: phrase, device)
        guard !roster.isExcluded(device, by: phrase.phrase.identity.replica) else { return false }
        let seen = try describing { try log.lastCounted(of: device, log.streams(), roster) }
        try await write(
            as: phrase.phrase.identity, named: "recovery phrase", note: "By the recovery phrase", observing: seen
        ) {
            [RosterKind.revocation(of: device, seen: seen, as: $0())]
        }
        guard try describing({ try log.roster() })?.isMember(device) == false else {
            throw Self.hadNoEffect("revoke \(device.short)")
        }
        return true
    }

    private func roster(of phrase: KnownPhrase, _ device: ReplicaID) throws -> (Roster, ReplicaID) {
        try requireWritable()
        guard let roster = try describing({ try log.roster() }) else {
            throw StoreError(
                .usage, "The log is not sealed: it has no recovery phrase.", hint: "To seal it: \(.sealLog)")
        }
        guard roster.order.first == phrase.phrase.identity.replica else {
            throw StoreError(
                .notPermitted, "The recovery phrase is that of another log.",
                hint: "Nothing was written. Check the words.")
        }
        return (roster, try describing { try log.streams().origin(of: device) })
    }

    /// Writes changes as events of a replica whose keys somebody knows by heart, in a log of its own that has nothing else, and
    /// receives it from there.
    ///
    /// - Parameters:
    ///   - name: What the replica is called in lists of devices.
    ///   - note: The reason, for the audit.
    ///   - seen: The events that are named: so that they stay these if the history of their author turns out to be forked.
    func write(
        as identity: Identity, named name: String, note: String, observing seen: [EventID] = [],
        _ changes: (_ newID: () -> RecordID) -> [Change]
    ) async throws {
        let scratch = try ScratchFolder()
        let storeLog = StoreLog(store: self)
        try describing {
            let own = try EventLog.create(at: scratch.path(of: "own.mdb"), id: logID, epoch: 0)
            defer { try? own.close() }
            let former = try log.vector()[identity.replica]
            if former > 0 {
                let range = EventRange(identity.replica, 1, through: former)
                guard
                    let frame = try log.frame(
                        of: range, signedBy: nil, preferredBytes: RangeLimits.preferredBytes,
                        withholding: { _, _ in false })
                else { throw EventLogError.damaged("the events of the \(name)") }
                _ = try own.receive([frame], arrival: surroundings.now())
            }
            var (batch, generator) = (DraftBatch(), SystemRandomNumberGenerator())
            if former == 0 {
                let record = RecordID(high: identity.replica.high, low: identity.replica.low)
                batch.append(
                    Change(
                        kind: ReplicaKind.name, record: record,
                        operations: ReplicaKind.schema.operations(
                            assigning: [
                                Assignment("KEY", identity.publicKey), Assignment("DEVICE", text: name),
                            ], to: nil)), by: identity.replica, using: &generator)
            }
            var numbers = SystemRandomNumberGenerator()
            for change in changes({ RecordID.random(using: &numbers) }) {
                batch.append(
                    change, by: identity.replica, note: AuditNote(text: note), using: &generator)
            }
            let appended = try own.append(
                [batch], as: identity.replica, arrival: surroundings.now(), observing: try log.heads(observing: seen))
            guard let last = appended.last?.last,
                let frame = try own.frame(
                    of: EventRange(identity.replica, former + 1, through: last.sequence), signedBy: identity,
                    preferredBytes: RangeLimits.preferredBytes, withholding: { _, _ in false })
            else { throw EventLogError.damaged("the events of the \(name)") }
            _ = try storeLog.receive([frame], arrival: surroundings.now())
            try storeLog.fill()
        }
        _ = try? await writingKey()
    }
}
