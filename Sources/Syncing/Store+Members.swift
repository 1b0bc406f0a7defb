import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveMembership
import GroundwaveSealing
import GroundwaveStore

/// Whether a device belongs to a sealed log.
public enum Membership: Hashable, Sendable {
    /// It belongs: what it writes counts.
    case member
    /// Nobody has approved it yet: what it writes is stored and passed on, and does not count.
    case waiting
    /// It was revoked: what it wrote after what its revoker had seen does not count.
    case revoked
}

extension Store {
    /// Returns whether a device belongs to the log; `nil` if the log is not sealed.
    ///
    /// - Throws: ``StoreError`` if the log or the views cannot be read.
    public func membership(of device: ReplicaID) throws -> Membership? {
        try describing {
            guard let roster = try log.roster() else { return nil }
            let device = try log.streams().origin(of: device)
            if roster.isMember(device) { return .member }
            return roster.order.contains(device) ? .revoked : .waiting
        }
    }

    /// Returns how many events here of a device do not count, since it does not belong to the log or was revoked.
    ///
    /// - Throws: ``StoreError`` if the log or the views cannot be read.
    public func uncountedEvents(of device: ReplicaID) throws -> UInt64 {
        try describing {
            let last = try log.vector()[device]
            guard last > 0, let roster = try log.roster() else { return 0 }
            return roster.uncounted(among: [EventRange(device, 1, through: last)]).count
        }
    }

    /// The fingerprint of a device, six words for people to compare; `nil` if its first event is not here.
    ///
    /// - Throws: ``StoreError`` if the log or the views cannot be read.
    public func fingerprint(of device: ReplicaID) throws -> String? {
        try read { view in
            let record = try view.record(ReplicaKind.name, RecordID(high: device.high, low: device.low))
            let key = record.flatMap { ReplicaKind.schema.value(of: "KEY", in: $0) }
            guard let key, Identity.replica(publicKey: key) == device else { return nil }
            return Fingerprint(of: key).description
        }
    }

    /// Lets a device into the log: what it has written and writes counts. Revocations of it by devices that are junior to this
    /// one, or by this one, end. A device that belongs is approved, too, if only a junior device has done that, whose word may
    /// stop counting.
    ///
    /// Whoever calls this has compared the fingerprint here with the one on the other device.
    ///
    /// - Returns: Whether anything was written; `false` if it belongs, and this device or one that is senior to it has approved it.
    /// - Throws: ``StoreError`` with code `usage` if the log is not sealed, `notPermitted` if this device does not belong to
    ///   it, or if one that is senior to it has revoked the other. Then nothing was written.
    @discardableResult
    public func approve(_ device: ReplicaID, note: String = "", author: String? = nil) async throws -> Written<Bool> {
        let roster = try requireMembership()
        let streams = try describing { try log.streams() }
        let device = streams.origin(of: device)
        let ending = roster.revocations[device] ?? []
        let own = replica.map { streams.origin(of: $0) }
        let rank = own.flatMap { roster.order.firstIndex(of: $0) } ?? .max
        let seniors = ending.filter { (roster.order.firstIndex(of: streams.origin(of: $0.replica)) ?? .max) < rank }
        guard seniors.isEmpty else {
            throw StoreError(
                .notPermitted, "\(device.short) was revoked by a device that is senior to this one.",
                hint: "Approve it on that device, or with the recovery phrase.")
        }
        let written = try await write(note: note, author: author) { batch in
            if let own, roster.isMember(device), roster.isApproved(device, by: own) { return false }
            for change in RosterKind.approvals(of: device, ending: ending, { batch.newID() }) {
                try batch.append(change)
            }
            return true
        }
        guard try describing({ try log.roster() })?.isMember(device) == true else {
            throw Self.hadNoEffect("approve \(device.short)")
        }
        // If no key can be made now, the next sync makes one, or says why not.
        _ = try? await writingKey()
        return written
    }

    /// Excludes a device from the log. What is here of it and counts goes on counting; anything else of it is kept apart. What
    /// is written from now on is sealed with another key, which it does not get; what it has read, it keeps.
    ///
    /// A device that does not belong is excluded, too: a junior device may have excluded it, whose word may stop counting.
    ///
    /// - Returns: Whether anything was written; `false` if this device, or one that is senior to it, has excluded it already.
    /// - Throws: ``StoreError`` with code `usage` if the log is not sealed, or if it is this device; `notPermitted` if this
    ///   device does not belong to the log, or is junior to the other one. Then nothing was written.
    @discardableResult
    public func revoke(_ device: ReplicaID, note: String = "", author: String? = nil) async throws -> Written<Bool> {
        let roster = try requireMembership()
        let streams = try describing { try log.streams() }
        let device = streams.origin(of: device)
        guard let own = replica.map(streams.origin(of:)), own != device else {
            throw StoreError(
                .usage, "\(device.short) is this device.", hint: "Revoke it on another device that belongs to the log.")
        }
        let ranks = (own: roster.order.firstIndex(of: own) ?? .max, other: roster.order.firstIndex(of: device) ?? .max)
        guard ranks.own < ranks.other else {
            throw StoreError(
                .notPermitted, "\(device.short) is senior to this device, which cannot revoke it.",
                hint: "Revoke it on a device that is senior to it, or with the recovery phrase.")
        }
        let written = try await write(note: note, author: author) { [log] batch in
            guard !roster.isExcluded(device, by: own) else { return false }
            let seen = try log.lastCounted(of: device, streams, roster)
            try batch.append(RosterKind.revocation(of: device, seen: seen, as: batch.newID()))
            return true
        }
        guard try describing({ try log.roster() })?.isMember(device) == false else {
            throw Self.hadNoEffect("revoke \(device.short)")
        }
        // If no key can be made now, the next sync makes one, or says why not.
        _ = try? await writingKey()
        return written
    }

    /// Counts what a device has written that does not belong to the log, as far as it is here. The device stays outside: what it
    /// writes later does not count, and what it says of who belongs never does. This ends with the revocation of this device.
    ///
    /// - Returns: The number of events that count now and did not before.
    /// - Throws: ``StoreError`` with code `usage` if the log is not sealed, `notPermitted` if this device does not belong to
    ///   it. Then nothing was written.
    @discardableResult
    public func admit(_ device: ReplicaID, note: String = "", author: String? = nil) async throws -> Written<UInt64> {
        _ = try requireMembership()
        let streams = try describing { try log.streams() }
        let histories = try describing { try log.lastEvents(of: streams.origin(of: device), streams) }
        let count = try uncountedEvents(of: histories)
        let written = try await write(note: note, author: author) { batch in
            if count > 0 { try batch.append(RosterKind.admission(of: histories, as: batch.newID())) }
            return count
        }
        guard try uncountedEvents(of: histories) == 0 else {
            throw Self.hadNoEffect("admit what \(device.short) wrote")
        }
        return written
    }

    /// Returns how many events do not count up to these, each in its history.
    private func uncountedEvents(of histories: [EventID]) throws -> UInt64 {
        try describing {
            let ranges = histories.map { EventRange($0.replica, 1, through: $0.sequence) }
            return try log.roster()?.uncounted(among: ranges).count ?? 0
        }
    }

    /// Returns the roster.
    ///
    /// - Throws: ``StoreError`` with code `usage` if there is none, `notPermitted` if this device does not belong to the log.
    func requireMembership() throws -> Roster {
        try requireWritable()
        guard let roster = try describing({ try log.roster() }) else {
            throw StoreError(
                .usage, "The log is not sealed: every device belongs to it.", hint: "To seal it: \(.sealLog)")
        }
        guard let replica, roster.isMember(try describing { try log.streams().origin(of: replica) }) else {
            throw StoreError(
                .notPermitted, "This device does not belong to the log.",
                hint: "A device that does can approve it: \(.approveDevice(replica.map(\.short) ?? "DEVICE"))")
        }
        return roster
    }
}

extension EventLog {
    /// Returns the last event here in each history of a device.
    func lastEvents(of device: ReplicaID, _ streams: Streams) throws -> [EventID] {
        try vector().entries.filter { streams.origin(of: $0.replica) == device }.map {
            EventID($0.replica, $0.sequence)
        }
    }

    /// Returns the last event here of each history in which `events` are: what somebody has seen who names these.
    func lastEvents(with events: [EventID]) throws -> [EventID] {
        let vector = try vector()
        return Set(events.map(\.replica)).sorted().map { EventID($0, vector[$0]) }
    }

    /// Returns, of each history of a device, the last event here up to which everything counts.
    func lastCounted(of device: ReplicaID, _ streams: Streams, _ roster: Roster) throws -> [EventID] {
        try lastEvents(of: device, streams).compactMap { last in
            let rest = roster.uncounted(among: [EventRange(last.replica, 1, through: last.sequence)])
            let end = rest.ranges.first.map { $0.first - 1 } ?? last.sequence
            return end > 0 ? EventID(last.replica, end) : nil
        }
    }
}
