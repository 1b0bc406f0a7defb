import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveMembership
import GroundwaveReplication
import GroundwaveSealedRemotes
import GroundwaveSealing
import GroundwaveStore

/// A code that lets one new device into a sealed log.
public struct Invitation: Sendable {
    /// Twenty letters and digits in groups of four. Whoever has it can read the log and join it, until the invitation ends.
    public let code: String
    /// When it ends: milliseconds since 1970.
    public let end: Int64
}

extension Invitation: CustomStringConvertible, CustomReflectable {
    /// The name of the type: the code shows only where it is asked for.
    public var description: String { "Invitation" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

// An invitation is a replica of its own, whose keys are the code: the device that invites approves it, and whoever has the code
// writes one event as this replica, which approves the new device. The device that has invited approves that one itself when it
// sees it, and excludes the invitation. At remotes, a key file that only the code opens holds the keys of the log meanwhile.
extension Store {
    /// Lets one new device into the log that is told the code: it joins with ``Unlocking/code(_:)``.
    ///
    /// The code works at a sealed remote once this device has synchronised there. The invitation ends when this device hears that
    /// it was used, or when its time is over. If two devices have used the code by then, neither belongs to the log.
    ///
    /// - Parameter duration: How long it lasts, from a minute to 30 days.
    /// - Throws: ``StoreError`` with code `usage` if the log is not sealed or the duration is another one, `notPermitted` if
    ///   this device does not belong to the log, or has no key of it. Then nothing was written.
    public func invite(for duration: Duration = .seconds(86_400)) async throws -> Invitation {
        guard (.seconds(60)...(.seconds(30 * 86_400))).contains(duration) else {
            throw StoreError(
                .usage, "An invitation lasts from a minute to 30 days.",
                hint: "Nothing was written. Choose another time.")
        }
        _ = try requireMembership()
        _ = try await writingKey()
        var generator = SystemRandomNumberGenerator()
        let code = InvitationCode.random(using: &generator)
        guard let contents = try describing({ try newestContents() }) else { throw Self.hasNoKey }
        let end = surroundings.now().wallMilliseconds + duration.components.seconds * 1000
        let invitation = SyncFile.OpenInvitation(
            replica: "\(code.identity.replica)", end: end, recipient: code.recipient.publicKey,
            mac: contents.proofs(for: code.recipient).mac, secret: code.connectionSecret)
        // First, since another program of this device ends invitations that do not belong.
        try await approve(code.identity.replica, note: "A code for one new device")
        do { try change({ $0.append(invitation) }) } catch {
            _ = try? await revoke(code.identity.replica, note: "A code that was never shown")
            throw error
        }
        return Invitation(code: code.text, end: end)
    }

    private func change(_ body: (inout [SyncFile.OpenInvitation]) -> Void) throws {
        try syncFile.update { file in
            var invitations = file.invitations ?? []
            body(&invitations)
            defer { file.invitations = invitations }
            return file.invitations != invitations
        }
    }

    /// The invitations of this device that have not ended.
    ///
    /// - Returns: The replica of each, which ``replicas()`` lists, and when it ends, in milliseconds since 1970.
    /// - Throws: ``StoreError`` if the file cannot be read.
    public func openInvitations() throws -> [ReplicaID: Int64] {
        let open = try syncFile.read().invitations ?? []
        return Dictionary(
            open.compactMap { one in ReplicaID(text: one.replica).map { ($0, one.end) } }, uniquingKeysWith: min)
    }

    /// Lets this device into the log, by the code that it has joined with.
    ///
    /// - Returns: Whether anything was written; `false` if the invitation has ended, or the device belongs already.
    /// - Throws: ``StoreError`` if the log or the views cannot be read or written.
    package func enter(by code: KnownCode) async throws -> Bool {
        let identity = code.code.identity
        let (roster, own) = (try describing { try log.roster() }, replica)
        guard let roster, let own, roster.isMember(identity.replica), !roster.isMember(own) else { return false }
        let ending = roster.revocations[own] ?? []
        let seen = try describing { try log.lastEvents(with: ending) }
        try await write(as: identity, named: "one-time code", note: "By a code", observing: seen) {
            RosterKind.approvals(of: own, ending: ending, $0)
        }
        return try describing { try log.roster() }?.isMember(own) ?? false
    }

    /// Ends the invitations of this device that were used, or whose time is over.
    ///
    /// - Returns: The devices that were let in, and those that were not, since several have used one code.
    package func endInvitations() async throws -> (admitted: [ReplicaID], refused: [ReplicaID]) {
        let open = try syncFile.read().invitations ?? []
        var (admitted, refused): ([ReplicaID], [ReplicaID]) = ([], [])
        guard !open.isEmpty, let roster = try describing({ try log.roster() }), let replica else { return ([], []) }
        let streams = try describing { try log.streams() }
        guard roster.isMember(streams.origin(of: replica)) else { return ([], []) }
        let statements = try describing { try log.rosterRow() }.statements
        let now = surroundings.now().wallMilliseconds
        for invitation in open {
            guard let invited = ReplicaID(text: invitation.replica) else { continue }
            let devices = Set(
                statements.compactMap { statement -> ReplicaID? in
                    guard streams.origin(of: statement.event.replica) == invited,
                        case .approve(let device, _) = statement.word
                    else { return nil }
                    return device
                })
            let isEnded = now >= invitation.end || !roster.isMember(invited)
            guard !devices.isEmpty || isEnded else { continue }
            if roster.isMember(invited) {
                // A device that somebody has excluded meanwhile stays excluded.
                let device = devices.count == 1 ? devices.first { roster.revocations[$0] == nil } : nil
                let written = try await write(note: device == nil ? "A code has ended" : "A code was used") {
                    [log] batch in
                    // Another program of this device may have been faster.
                    guard try log.roster()?.isMember(invited) ?? false else { return }
                    if let device {
                        try batch.append(RosterKind.approvals(of: device, ending: []) { batch.newID() }[0])
                    }
                    let seen = device == nil ? [] : try log.lastEvents(of: invited, streams)
                    try batch.append(RosterKind.revocation(of: invited, seen: seen, as: batch.newID()))
                }
                if written.batch == nil { continue }
                if let device { admitted.append(device) } else { refused += devices.sorted() }
            }
            try change({ $0.removeAll { $0.replica == invitation.replica } })
        }
        return (admitted, refused)
    }

    /// Stores the key files of open invitations at a sealed remote, and deletes those of others that were put there.
    func placeInvitations(at sealed: SealedTransport, _ name: String) async throws {
        let (file, now) = (try syncFile.read(), surroundings.now().wallMilliseconds)
        let placed = file.placedInvitations?[name] ?? []
        let open = (file.invitations ?? []).filter { now < $0.end }
        if open.isEmpty && placed.isEmpty { return }
        let place = PlacedKeys(at: sealed.storage)
        var wanted: [String] = []
        for bytes in try describing({ try open.map(keyFile) }) {
            _ = try await place.put(bytes)
            wanted.append(Base32.encode(try KeyFile(reading: bytes).epoch.bytes))
        }
        try await place.delete(Set(placed.filter { !wanted.contains($0) }.compactMap { EpochID(text: $0) }))
        try syncFile.update { [wanted] file in
            file.placedInvitations = (file.placedInvitations ?? [:]).merging([name: wanted]) { $1 }
            return wanted != placed
        }
    }

    /// Returns the invitations with whose codes a device may connect to this one now.
    func usableInvitations() throws -> [SyncFile.OpenInvitation] {
        let now = surroundings.now().wallMilliseconds
        let open = (try syncFile.read().invitations ?? []).filter { now < $0.end }
        guard !open.isEmpty, let roster = try log.roster() else { return [] }
        return open.filter { ReplicaID(text: $0.replica).map(roster.isMember) ?? false }
    }

    /// Returns the key file of an invitation, which holds all keys that are known now.
    func keyFile(of invitation: SyncFile.OpenInvitation) throws -> [UInt8] {
        guard let keys = try logKeys(), let contents = try newestContents() else { throw Self.hasNoKey }
        let all = keys.keyring.epochs.compactMap { keys.keyring.key(of: $0) }
        if let file = invitation.file, invitation.keyCount == all.count { return file }
        var generator = SystemRandomNumberGenerator()
        // Only the code opens it: the key of its own seals nothing else.
        let own = KeyFile.Contents(
            log: logID, root: contents.root, namesKey: contents.namesKey,
            proofs: RootProofs(signature: contents.proofs.signature, mac: invitation.mac),
            recipients: [KeyFile.Recipient(.device, publicKey: invitation.recipient)],
            formerKeys: Array(all.suffix(KeyFile.Contents.formerKeyLimit)))
        let file = try KeyFile.bytes(
            own, with: EpochKey.random(using: &generator), scrypt: .random(using: &generator), using: &generator)
        try change { invitations in
            guard let index = invitations.firstIndex(where: { $0.replica == invitation.replica }) else { return }
            invitations[index].file = file
            invitations[index].keyCount = all.count
        }
        return file
    }

    private static var hasNoKey: StoreError {
        StoreError(
            .notPermitted, "This device has no key of the log.",
            hint: "Invite from another device that belongs to it.")
    }
}
