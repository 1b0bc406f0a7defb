import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveMembership
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveReplication
import GroundwaveSealing
import GroundwaveStore

extension Store {
    /// Whether the log is sealed: then remotes get nothing that a stranger can read, and only devices that were approved count.
    ///
    /// That stands in the log, and is never undone.
    public func isSealed() throws -> Bool { try describing { try log.rosterRow().root != nil } }

    /// Seals the log: from now on it has a passphrase, a recovery phrase, and a list of the devices that belong to it.
    ///
    /// This device and `devices` belong to it. What was written before counts; of other devices, what they write later counts
    /// once somebody approves them. Costs about 0.5 s and 128 MiB of memory, for the passphrase.
    ///
    /// - Parameters:
    ///   - passphrase: Opens what is at remotes, also for a new device.
    ///   - devices: Other devices of the log that belong to it.
    /// - Returns: The recovery phrase, 12 words. It is stored nowhere: whoever has it can put any log right.
    /// - Throws: ``StoreError`` with code `exists` if the log is sealed already, `usage` if the passphrase is empty or longer
    ///   than 1,024 bytes; then nothing was written.
    public func seal(passphrase: String, including devices: [ReplicaID] = []) async throws -> [String] {
        try requireWritable()
        try await introduce()
        guard let writer else { preconditionFailure("A store that can be written has a writer.") }
        var generator = SystemRandomNumberGenerator()
        let scrypt = ScryptParameters.random(using: &generator)
        let reader = try Self.key(of: passphrase, scrypt)
        let phrase = RecoveryPhrase.random(using: &generator)
        let key = EpochKey.random(using: &generator)
        let namesKey = EpochKey.random(using: &generator).bytes
        // What lies open stays so until somebody seals it there.
        let names = try remotes().map(\.name)
        try syncFile.update { file in
            defer { file.open = names }
            return file.open != names
        }
        let recipients = try devices.compactMap { try receivingKey(of: $0) }
        try await write(note: "The log was sealed") { [log, logID] batch in
            guard try log.rosterRow().root == nil else {
                throw StoreError(
                    .exists, "The log is sealed already.", hint: "To see who belongs to it: \(.list(.devices))")
            }
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
            let contents = KeyFile.Contents(
                log: logID, root: root, namesKey: namesKey,
                recipients: [
                    KeyFile.Recipient(.passphrase, publicKey: reader.publicKey),
                    KeyFile.Recipient(.phrase, publicKey: phrase.recipient.publicKey),
                ] + ([own] + recipients).map { KeyFile.Recipient(.device, publicKey: $0) }, formerKeys: [])
            var generator = SystemRandomNumberGenerator()
            let file = try KeyFile.bytes(contents, with: key, scrypt: scrypt, using: &generator)
            try batch.append(RosterKind.change(batch.newID(), (RosterKind.epoch, file)))
        }
        return phrase.words
    }

    /// Returns the key that a passphrase stands for.
    static func key(of passphrase: String, _ scrypt: ScryptParameters) throws -> RecipientKey {
        do { return try RecipientKey(passphrase: passphrase, parameters: scrypt) } catch {
            throw StoreError(
                .usage, "This passphrase cannot be used: \(error).", hint: "Nothing was written.", cause: error)
        }
    }

    /// Returns the public key for which the keys of the log are wrapped for a device; `nil` if it has not said it.
    func receivingKey(of device: ReplicaID) throws -> [UInt8]? {
        try read { view in
            let record = try view.record(ReplicaKind.name, RecordID(high: device.high, low: device.low))
            let key = record.flatMap { ReplicaKind.schema.value(of: "RECEIVES", in: $0) }
            return key?.count == 32 ? key : nil
        }
    }
}

extension RosterKind {
    /// Returns the change that says something of who belongs.
    static func change(_ record: RecordID, _ fields: (number: UInt32, value: [UInt8])...) -> Change {
        Change(
            kind: name, record: record,
            operations: fields.map { FieldOperation(.set, .number($0.number), value: $0.value) })
    }
}
