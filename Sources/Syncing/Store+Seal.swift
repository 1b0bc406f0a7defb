import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveMembership
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveRemotes
import GroundwaveReplication
import GroundwaveSealing
import GroundwaveStore

extension Store {
    /// Whether the log is sealed: then remotes get nothing that a stranger can read, and only devices that were approved count.
    ///
    /// That stands in the log, and is never undone.
    ///
    /// - Throws: ``StoreError`` if the log or the views cannot be read.
    public func isSealed() throws -> Bool {
        try describing {
            if try log.rosterRow().root != nil { return true }
            // A log that was recovered without the event that has sealed it is told again.
            guard let keys = try files.readLogKeys(), keys.log == logID else { return false }
            if !isReadOnly, try log.believe(keys.root) { eventsCame() }
            return true
        }
    }

    /// Seals the log: from now on it has a passphrase, a recovery phrase, and a list of the devices that belong to it.
    ///
    /// This device and `devices` belong to it. What was written before counts; of other devices, what they write later counts
    /// once somebody approves them. Costs about 0.5 s and 128 MiB of memory, for the passphrase.
    ///
    /// - Parameters:
    ///   - passphrase: Opens what is at remotes, also for a new device.
    ///   - words: The recovery phrase, from ``newRecoveryPhrase()``. It is stored nowhere: show it first, since whoever has it
    ///     can put the log right, and nobody can make another one.
    ///   - devices: Other devices of the log that belong to it.
    /// - Throws: ``StoreError`` with code `exists` if the log is sealed already, `usage` if the passphrase is empty or longer
    ///   than 1,024 bytes, or if the words are no recovery phrase; then nothing was written.
    public func seal(
        passphrase: String, recoveryPhrase words: [String], including devices: [ReplicaID] = []
    ) async throws {
        try requireWritable()
        try await introduce()
        guard let writer else { preconditionFailure("A store that can be written has a writer.") }
        var generator = SystemRandomNumberGenerator()
        let scrypt = ScryptParameters.random(using: &generator)
        let reader = try Self.key(of: passphrase, scrypt)
        let phrase = try KnownPhrase(words.joined(separator: " ")).phrase
        let key = EpochKey.random(using: &generator)
        let namesKey = EpochKey.random(using: &generator).bytes
        guard try !isSealed() else { throw Self.isSealedAlready }
        // What lies open stays so until somebody seals it there.
        let names = try remotes().map(\.name)
        try syncFile.update { file in
            defer { file.open = names }
            return file.open != names
        }
        let recipients = try devices.compactMap { try receivingKey(of: $0) }
        try await write(note: "The log was sealed") { [log, logID] batch in
            guard try log.rosterRow().root == nil else { throw Self.isSealedAlready }
            let identity = writer.identity
            let author = identity.replica
            let before = EventSet(try log.vector().entries.map { EventRange($0.replica, 1, through: $0.sequence) })
            let (record, phraseKeys) = (batch.newID(), phrase.identity.publicKey + phrase.recipient.publicKey)
            let seen = [UInt8](before.text.utf8)
            let root = RosterKind.root(of: author, record, phrase: phraseKeys, before: seen)
            try batch.append(
                RosterKind.change(record, (RosterKind.phrase, phraseKeys), (RosterKind.before, seen)))
            for device in devices where device != author {
                try batch.append(RosterKind.change(batch.newID(), (RosterKind.approved, [UInt8]("\(device)".utf8))))
            }
            let own = RecipientKey(identity: identity).publicKey
            let proofs = RootProofs(of: logID, root, namesKey: namesKey, phrase: phrase, passphrase: reader)
            let contents = KeyFile.Contents(
                log: logID, root: root, namesKey: namesKey, proofs: proofs,
                recipients: [
                    KeyFile.Recipient(.passphrase, publicKey: reader.publicKey),
                    KeyFile.Recipient(.phrase, publicKey: phrase.recipient.publicKey),
                ] + ([own] + recipients).map { KeyFile.Recipient(.device, publicKey: $0) }, formerKeys: [])
            var generator = SystemRandomNumberGenerator()
            let file = try KeyFile.bytes(contents, with: key, scrypt: scrypt, using: &generator)
            try batch.append(RosterKind.change(batch.newID(), (RosterKind.epoch, file)))
        }
        guard try describing({ try log.rosterRow().root }) != nil else { throw Self.hadNoEffect("seal the log") }
    }

    /// What was written says nothing, since there is too much to name.
    static func hadNoEffect(_ purpose: String) -> StoreError {
        StoreError(
            .notPermitted, "The event that should \(purpose) was written, and has no effect.",
            hint: "There are too many devices, or histories of one, to be named. To see them: \(.list(.devices))")
    }

    /// Returns twelve new words for ``seal(passphrase:recoveryPhrase:including:)``.
    public static func newRecoveryPhrase() -> [String] {
        var generator = SystemRandomNumberGenerator()
        return RecoveryPhrase.random(using: &generator).words
    }

    /// Accepts that another device has sealed the log: from now on only those count who belong by its word, and by that of the
    /// recovery phrase. Nothing else makes this device believe it, since anybody can write such an event.
    ///
    /// Whoever calls this has compared the fingerprint of the device here with the one on its screen.
    ///
    /// - Throws: ``StoreError`` with code `exists` if the log is sealed here already, `notFound` if that device has not sealed
    ///   it, as far as is known here.
    public func acceptSeal(by device: ReplicaID) async throws {
        try requireWritable()
        if try isSealed() { throw Self.isSealedAlready }
        let streams = try describing { try log.streams() }
        let seals = try describing { try log.rosterRow() }.otherSeals.filter {
            streams.origin(of: $0.statement.event.replica) == streams.origin(of: device)
        }
        guard let seal = seals.min(by: { $0.statement.event < $1.statement.event }) else {
            throw StoreError(
                .notFound, "\(device.short) has not sealed the log, as far as is known here.",
                hint: "To see the devices: \(.list(.devices))")
        }
        let names = try remotes().map(\.name)
        try syncFile.update { file in
            defer { file.open = names }
            return file.open != names
        }
        guard try describing({ try log.believe(seal.root) }) else { throw Self.isSealedAlready }
        eventsCame()
    }

    /// Accepts that the log is sealed, as a remote shows that was sealed while this device was away: everything there is pulled,
    /// and the device keeps the keys. If it has accepted that before, it keeps the keys that it did not have. With the phrase
    /// it does not belong to the log at once: whoever has it can approve the device afterwards.
    ///
    /// - Throws: ``StoreError`` with code `exists` if another event has sealed the log here, or another log is there;
    ///   `notPermitted` if `unlocking` does not open what is there; `usage` if nothing lies at the remote by its kind; as
    ///   ``sync(_:isPulling:isPushing:isFull:)``. What was pulled stays; otherwise nothing was changed.
    public func acceptSeal(at name: String, _ unlocking: Unlocking) async throws {
        try requireWritable()
        let remote = try remote(name)
        let access: RemoteAccess
        do { access = try remote.address.access(in: accessContext) } catch {
            throw Self.describe(error, at: remote, file: files.log)
        }
        guard case .storage(let storage) = access else {
            throw StoreError(.usage, "\(remote.address) is no folder and no bucket.", hint: "Name another remote.")
        }
        try await acceptSeal(at: remote, in: storage, unlocking)
    }

    /// Accepts that the log is sealed, as a remote shows that is reached through a transport of the application's own: see
    /// ``acceptSeal(at:_:)``.
    ///
    /// - Parameters:
    ///   - transport: The transport.
    ///   - name: The name of the remote, as in ``sync(with:as:isPulling:isPushing:isFull:)``.
    /// - Throws: As ``acceptSeal(at:_:)``.
    public func acceptSeal(through transport: any Transport, as name: String, _ unlocking: Unlocking) async throws {
        try await acceptSeal(at: try applicationRemote(name), in: transport, unlocking)
    }

    private func acceptSeal(at remote: Remote, in storage: any Transport, _ unlocking: Unlocking) async throws {
        let name = remote.name
        do {
            guard var keys = try await Self.unlock(.storage(storage), at: remote.address, with: unlocking) else {
                throw RemoteError.notARemote
            }
            guard keys.log == logID else { throw RemoteError.otherLog(keys.log) }
            try note(remote)
            if try isSealed() {
                if let known = try logKeys(), known.root == keys.root {
                    for epoch in known.keyring.epochs { known.keyring.key(of: epoch).map { keys.keyring.add($0) } }
                }
                return try adopt(keys)
            }
            // First, or nothing would count before the next sync.
            _ = try await sync(
                remote, through: .storage(try sealed(storage, with: keys)), isPulling: true, isPushing: false,
                isFull: true)
            let others = try remotes().map(\.name).filter { $0 != name }
            try syncFile.update { file in
                defer { file.open = others }
                return file.open != others
            }
            try adopt(keys)
        } catch { throw Self.describe(error, at: remote, file: files.log) }
        eventsCame()
    }

    /// Returns the devices that say they have sealed the log, without being believed here.
    ///
    /// - Throws: ``StoreError`` if the log or the views cannot be read.
    public func claimedSeals() throws -> [ReplicaID] {
        try describing {
            let streams = try log.streams()
            return Set(try log.rosterRow().otherSeals.map { streams.origin(of: $0.statement.event.replica) }).sorted()
        }
    }

    private static var isSealedAlready: StoreError {
        StoreError(.exists, "The log is sealed already.", hint: "To see who belongs to it: \(.list(.devices))")
    }

    /// Returns the key that a passphrase stands for.
    static func key(of passphrase: String, _ scrypt: ScryptParameters) throws -> RecipientKey {
        do { return try RecipientKey(passphrase: passphrase, parameters: scrypt) } catch {
            throw StoreError(
                .usage, "This passphrase cannot be used: \(error).", hint: "Nothing was written.", cause: error)
        }
    }

    /// Returns the public key for which the keys of the log are wrapped for a device, as its own first event says; `nil` if that
    /// event is not here, or says none that can be used.
    func receivingKey(of device: ReplicaID) throws -> [UInt8]? {
        let own = writer?.identity
        if own?.replica == device { return own.map { RecipientKey(identity: $0).publicKey } }
        // What others write to its record later is none of theirs to say.
        let history = try log.streams().histories(from: device).first ?? [device]
        let first = try history.first { try log.vector()[$0] > 0 }.map { EventID($0, 1) }
        let key = try first.flatMap { try value(of: ReplicaKind.receives, kind: ReplicaKind.name, in: $0) }
        return key.flatMap { RecipientKey.isUsable($0) ? $0 : nil }
    }
}

extension RosterKind {
    /// Returns the changes that approve a device, and end these revocations of it: as many as name all of them.
    package static func approvals(of device: ReplicaID, ending: [EventID], _ newID: () -> RecordID) -> [Change] {
        stride(from: 0, to: max(ending.count, 1), by: namedLimit).map { start in
            let part = Array(ending[start..<min(start + namedLimit, ending.count)])
            return change(newID(), (approved, [UInt8]("\(device)".utf8)), naming: part, in: self.ending)
        }
    }

    /// Returns the change that revokes a device, of which these are the last events that were seen: if they are too many to be
    /// named, those of the longest histories.
    package static func revocation(of device: ReplicaID, seen: [EventID], as record: RecordID) -> Change {
        var seen = seen.sorted { $0.sequence == $1.sequence ? $0 < $1 : $0.sequence > $1.sequence }
        while text(of: seen).utf8.count > valueLimit { seen.removeLast(seen.count / 8 + 1) }
        return change(record, (revoked, [UInt8]("\(device)".utf8)), naming: seen, in: self.seen)
    }

    /// Returns the change that admits these events, and those before them in their histories.
    package static func admission(of events: [EventID], as record: RecordID) -> Change {
        change(record, (admitted, [UInt8](text(of: events).utf8)))
    }

    private static func text(of events: [EventID]) -> String {
        EventSet(events.map { EventRange($0.replica, $0.sequence, through: $0.sequence) }).text
    }

    private static func change(
        _ record: RecordID, _ said: (number: UInt32, value: [UInt8]), naming events: [EventID], in field: UInt32
    ) -> Change {
        events.isEmpty ? change(record, said) : change(record, said, (field, [UInt8](text(of: events).utf8)))
    }

    /// Returns the change that says something of who belongs.
    package static func change(_ record: RecordID, _ fields: (number: UInt32, value: [UInt8])...) -> Change {
        Change(
            kind: name, record: record,
            operations: fields.map { FieldOperation(.set, .number($0.number), value: $0.value) })
    }
}
