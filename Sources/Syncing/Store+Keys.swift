import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveMembership
import GroundwaveRecords
import GroundwaveRemotes
import GroundwaveReplication
import GroundwaveSealedRemotes
import GroundwaveSealing
import GroundwaveStore
import Synchronization

// The keys of a sealed log. Each change of who belongs begins an epoch: an event with a new key, wrapped for those who belong
// then, which holds the former keys too. Only what a store seals itself depends on which epoch it takes: it opens whatever it has
// a key for, since what is inside proves itself.
extension Store {
    /// An epoch of the log.
    struct Epoch: Sendable {
        /// The event that has begun it.
        let event: EventID
        /// The bytes of its key file.
        let bytes: [UInt8]
        /// These, read.
        let file: KeyFile
    }

    /// The identity of this device, also in a store that is only read.
    var ownIdentity: Identity? { writer?.identity ?? (try? files.readIdentity()) }

    /// The epochs of the log whose events count, in order of arrival; those whose event cannot be read are left out. Nothing is
    /// read of the others: who does not belong can write as many as it likes.
    private func epochs(of row: RosterRow, by roster: Roster?) throws -> [Epoch] {
        try row.statements.compactMap { statement in
            guard statement.word == .epoch, roster?.counts(statement.event) ?? false,
                let bytes = try value(of: RosterKind.epoch, kind: RosterKind.name, in: statement.event),
                let file = try? KeyFile(reading: bytes)
            else { return nil }
            return Epoch(event: statement.event, bytes: bytes, file: file)
        }
    }

    /// Returns the keys of the log that this device has; `nil` if it has none, or the log is not sealed. Only events that count
    /// bring keys, and of these the first device's come first: they say how objects are named.
    package func logKeys() throws -> LogKeys? {
        let (row, roster) = (try log.rosterRow(), try log.roster())
        guard let root = row.root, let identity = ownIdentity else { return nil }
        let known = try files.readLogKeys().flatMap { $0.log == logID && $0.root == root ? $0 : nil }
        var keys = known
        let streams = try log.streams()
        let founder = row.seal.map { streams.origin(of: $0.event.replica) }
        let counted = try epochs(of: row, by: roster)
        let ordered =
            counted.filter { streams.origin(of: $0.event.replica) == founder }
            + counted.filter { streams.origin(of: $0.event.replica) != founder }
        let files = ordered.map(\.file).filter { keys?.keyring.key(of: $0.epoch) == nil }
        for found in Self.unlock(
            files, with: RecipientKey(identity: identity), of: logID, root, signedBy: try signingKey(of: row))
        {
            if keys == nil { keys = found }
            guard found.keyring.namesKey == keys?.keyring.namesKey else { continue }
            for epoch in found.keyring.epochs { found.keyring.key(of: epoch).map { keys?.keyring.add($0) } }
        }
        if let keys, !isReadOnly, known?.keyring.epochs != keys.keyring.epochs || self.files.areLogKeysToBeLocked {
            try self.files.write(keys)
        }
        return keys
    }

    /// Returns the keys of the log, if they open `file`.
    func logKeys(opening file: KeyFile) throws -> LogKeys? {
        let row = try log.rosterRow()
        guard let root = row.root, let identity = ownIdentity else { return nil }
        let opened = Self.unlock(
            [file], with: RecipientKey(identity: identity), of: logID, root, signedBy: try signingKey(of: row))
        guard var keys = try logKeys() ?? opened.first else { return nil }
        for found in opened where found.keyring.namesKey == keys.keyring.namesKey {
            for epoch in found.keyring.epochs { found.keyring.key(of: epoch).map { keys.keyring.add($0) } }
        }
        return keys.keyring.key(of: file.epoch) == nil ? nil : keys
    }

    /// Returns what those of `files` hold for `recipient` that are of this log.
    ///
    /// - Parameter signer: The key with which the recovery phrase signs, as far as it is known: files that it has not signed
    ///   are passed over.
    static func unlock(
        _ files: [KeyFile], with recipient: RecipientKey, of log: LogID, _ root: Hash256, signedBy signer: [UInt8]?
    ) -> [LogKeys] {
        files.compactMap { file in
            guard let key = try? file.epochKey(with: recipient), let contents = try? file.contents(with: key),
                contents.log == log, contents.root == root, signer.map(contents.isSigned(by:)) ?? true
            else { return nil }
            return LogKeys(contents, with: key)
        }
    }

    /// Keeps the keys with which something at a remote was opened, so that they are in the next epoch: whoever sealed that may
    /// have done so for fewer than belong to the log.
    ///
    /// - Returns: Whether any of them is new.
    func keep(_ found: [EpochKey]) throws -> Bool {
        guard !found.isEmpty, var keys = try describing({ try logKeys() }) else { return false }
        let known = keys.keyring.epochs
        for key in found { keys.keyring.add(key) }
        guard keys.keyring.epochs != known else { return false }
        try files.write(keys)
        return true
    }

    /// Returns what to seal with: the newest key that only those have who belong to the log. If there is none, or it does not
    /// bring all of them all keys that are here, and this device belongs to the log, it begins an epoch.
    ///
    /// - Throws: ``StoreError`` with code `notPermitted` if there is no such key, and this device cannot make one.
    func writingKey() async throws -> SealedTransport.Writing {
        for _ in 0..<3 {
            let (row, roster) = try describing { (try log.rosterRow(), try log.roster()) }
            guard let roster, let seal = row.seal, let keys = try describing({ try logKeys() }),
                let phrase = try phraseKeys(of: seal.event)
            else { break }
            let members = try describing { try receivingKeys(of: roster) }
            let streams = try describing { try log.streams() }
            let opened = try describing { try self.opened(row, roster, phrase, keys) }
            // Whoever gets a key gets all former ones: a key is where any of these epochs has sent it.
            var holders: [EpochID: Set<KeyFile.Recipient>] = [:]
            for (epoch, contents) in opened {
                for id in contents.formerKeys.map(\.id) + [epoch.file.epoch] {
                    holders[id, default: []].formUnion(contents.recipients)
                }
            }
            // The last one that arrived: what its author says of it decides nothing.
            let newest = opened.last { epoch, _ in
                let holders = holders[epoch.file.epoch] ?? []
                return roster.isMember(streams.origin(of: epoch.event.replica))
                    && holders.filter { $0.kind == .phrase }.map(\.publicKey) == [phrase.receiving]
                    && holders.count { $0.kind == .passphrase } == 1
                    && holders.allSatisfy { $0.kind != .device || members.contains($0.publicKey) }
            }
            let isComplete =
                newest.map { epoch, contents in
                    let shared = Set(contents.formerKeys.map(\.id) + [epoch.file.epoch])
                    return members.isSubset(of: contents.recipients.map(\.publicKey))
                        // Somebody has sealed with the others for fewer than belong to the log.
                        && keys.keyring.epochs.allSatisfy { id in
                            shared.contains(id) || members.isSubset(of: (holders[id] ?? []).map(\.publicKey))
                        }
                } ?? false
            let own = try replica.map { try log.streams().origin(of: $0) }
            let isMember = own.map(roster.isMember) ?? false
            if let (epoch, contents) = newest, isComplete || !isMember,
                let key = keys.keyring.key(of: epoch.file.epoch)
            {
                // Only who begins an epoch knows that it is wrapped for everybody, so that older key files can go.
                let isOwn = try describing { try log.streams().origin(of: epoch.event.replica) } == own
                return SealedTransport.Writing(
                    key: key, file: epoch.bytes, former: isOwn ? Set(contents.formerKeys.map(\.id)) : [])
            }
            // Beyond the devices for which there is room nobody can begin one.
            let receiving = ownIdentity.map { RecipientKey(identity: $0).publicKey }
            guard isMember, receiving.map(members.contains) ?? false,
                try await beginEpoch(for: members, phrase, row, keys)
            else { break }
        }
        throw StoreError(
            .notPermitted, "There is no key of the log with which this device may seal anything.",
            hint: "A device that belongs to the log can approve this one: \(.approveDevice(replica?.short ?? "DEVICE"))"
        )
    }

    /// Returns what the newest epoch says that counts and that this device can open; `nil` if there is none.
    func newestContents() throws -> KeyFile.Contents? {
        let row = try log.rosterRow()
        guard let roster = try log.roster(), let seal = row.seal, let keys = try logKeys(),
            let phrase = try phraseKeys(of: seal.event)
        else { return nil }
        return try opened(row, roster, phrase, keys).last?.1
    }

    /// Returns the epochs that count, that this device can open, and whose proofs the phrase has made, in order of arrival.
    private func opened(
        _ row: RosterRow, _ roster: Roster, _ phrase: PhraseKeys, _ keys: LogKeys
    ) throws -> [(Epoch, KeyFile.Contents)] {
        try epochs(of: row, by: roster).compactMap { epoch in
            guard let key = keys.keyring.key(of: epoch.file.epoch),
                let contents = try? epoch.file.contents(with: key), contents.log == logID, contents.root == row.root,
                contents.namesKey == keys.keyring.namesKey, contents.isSigned(by: phrase.signing)
            else { return nil }
            return (epoch, contents)
        }
    }

    /// Returns the keys for which those of the log are wrapped: of the 256 most senior devices that belong to it and have said a
    /// usable one.
    private func receivingKeys(of roster: Roster) throws -> Set<[UInt8]> {
        let devices = roster.order.filter(roster.isMember)
        return Set(try devices.compactMap { try receivingKey(of: $0) }.prefix(KeyFile.recipientLimit - 2))
    }

    /// Begins an epoch for `members`, the phrase, and the passphrase of the newest epoch whose key is here, with the proofs
    /// that are there.
    ///
    /// - Parameter passphrase: Another passphrase; `nil` to leave it as it is.
    /// - Returns: `false` if no former epoch can be opened that the phrase has signed.
    func beginEpoch(
        for members: Set<[UInt8]>, _ phrase: PhraseKeys, _ row: RosterRow, _ keys: LogKeys,
        passphrase: (key: RecipientKey, scrypt: ScryptParameters)? = nil
    ) async throws -> Bool {
        let roster = try describing { try log.roster() }
        let streams = try describing { try log.streams() }
        guard let roster else { return false }
        let known = try describing { try opened(row, roster, phrase, keys) }
        let isByMember = { (epoch: (Epoch, KeyFile.Contents)) in
            roster.isMember(streams.origin(of: epoch.0.event.replica))
        }
        // A passphrase that was set by a device that was excluded since would let that device read on, whoever has copied it:
        // the one counts that came with the seal, or from a device that belongs.
        let former =
            known.last { epoch in
                let first = known.first { $0.1.passphraseKey == epoch.1.passphraseKey }
                guard let first, epoch.1.passphraseKey.map(RecipientKey.isUsable) ?? false else { return false }
                return isByMember(epoch) && (isByMember(first) || first.0.event == known.first?.0.event)
            } ?? known.first
        guard let root = row.root, let former,
            let reader = passphrase?.key.publicKey ?? former.1.passphraseKey
        else { return false }
        var generator = SystemRandomNumberGenerator()
        let key = EpochKey.random(using: &generator)
        // What an epoch of the log has stays, whatever else somebody has put among the former keys.
        let ids = known.map(\.0.file.epoch)
        let all = (keys.keyring.epochs.filter { !ids.contains($0) } + ids).compactMap { keys.keyring.key(of: $0) }
        let contents = KeyFile.Contents(
            log: logID, root: root, namesKey: keys.keyring.namesKey,
            // Whoever begins an epoch can make none of them: the MAC belongs to the passphrase that is taken with it.
            proofs: passphrase.map { former.1.proofs(for: $0.key) } ?? former.1.proofs,
            recipients: [
                KeyFile.Recipient(.passphrase, publicKey: reader),
                KeyFile.Recipient(.phrase, publicKey: phrase.receiving),
            ] + members.sorted { $0.lexicographicallyPrecedes($1) }.map { KeyFile.Recipient(.device, publicKey: $0) },
            formerKeys: Array(all.suffix(KeyFile.Contents.formerKeyLimit)))
        let scrypt = passphrase?.scrypt ?? former.0.file.scrypt
        let file = try KeyFile.bytes(contents, with: key, scrypt: scrypt, using: &generator)
        try await write(note: "A new key for what is sealed from now on") { batch in
            try batch.append(RosterKind.change(batch.newID(), (RosterKind.epoch, file)))
        }
        return true
    }

    /// The public keys of the recovery phrase, 32 bytes each.
    struct PhraseKeys {
        /// With which it signs.
        let signing: [UInt8]
        /// For which the keys of epochs are wrapped.
        let receiving: [UInt8]
    }

    /// Returns the key with which the recovery phrase signs; `nil` if the event that sealed the log is not here.
    private func signingKey(of row: RosterRow) throws -> [UInt8]? {
        try row.seal.flatMap { try phraseKeys(of: $0.event)?.signing }
    }

    /// Returns the public keys of the recovery phrase, as the event that sealed the log says.
    private func phraseKeys(of seal: EventID) throws -> PhraseKeys? {
        guard let keys = try value(of: RosterKind.phrase, kind: RosterKind.name, in: seal), keys.count == 64 else {
            return nil
        }
        return PhraseKeys(signing: Array(keys[..<32]), receiving: Array(keys[32...]))
    }

    /// Returns what one event writes to a field of a record of `kind`, whatever is written there later; `nil` if it does not.
    func value(of field: UInt32, kind: String, in event: EventID) throws -> [UInt8]? {
        guard let position = try log.position(of: event) else { return nil }
        let value = try log.withEvent(at: position) { frame, bytes -> [UInt8]? in
            let change = try? Change(
                shape: bytes.extracting(frame.shape), values: bytes.extracting(frame.values),
                isWithheld: frame.isPartial, by: frame.names(in: bytes))
            guard let change, change.kind == kind else { return nil }
            return change.operations.first { $0.field == .number(field) }?.value
        }
        return value ?? nil
    }

    /// Changes the passphrase: the former one opens nothing that is sealed from now on, and no former object is written anew.
    ///
    /// - Throws: ``StoreError`` with code `usage` if the log is not sealed or the passphrase cannot be used, `notPermitted` if
    ///   this device does not belong to the log. Then nothing was written.
    public func changePassphrase(to passphrase: String) async throws {
        let roster = try requireMembership()
        var generator = SystemRandomNumberGenerator()
        let scrypt = ScryptParameters.random(using: &generator)
        let key = try Self.key(of: passphrase, scrypt)
        let row = try describing { try log.rosterRow() }
        let members = try receivingKeys(of: roster)
        guard let seal = row.seal, let phrase = try phraseKeys(of: seal.event), let keys = try logKeys(),
            try await beginEpoch(for: members, phrase, row, keys, passphrase: (key, scrypt))
        else {
            throw StoreError(
                .notPermitted, "This device has no key of the log.",
                hint: "Change the passphrase on another device that belongs to it.")
        }
    }

    /// Returns how a remote is reached: what lies at it is sealed if the log is, unless the remote was left open.
    func access(to remote: Remote) throws -> RemoteAccess {
        try sealing(try remote.address.access(in: accessContext), remote.name)
    }

    /// Returns `access` with everything sealed, if that is so at the remote.
    package func sealing(_ access: RemoteAccess, _ name: String) throws -> RemoteAccess {
        guard case .storage(let storage) = access, try isSealed(remote: name) else { return access }
        return .storage(try sealed(storage, for: name))
    }

    /// Whether what lies at a remote is sealed.
    ///
    /// - Throws: ``StoreError`` if the log or the views cannot be read.
    public func isSealed(remote name: String) throws -> Bool {
        guard try isSealed() else { return false }
        return try !(syncFile.read().open?.contains(name) ?? false)
    }

    /// Returns the sealed remote in `storage`.
    ///
    /// - Throws: ``StoreError`` with code `notPermitted` if this device has no key of the log.
    func sealed(_ storage: any Transport, for remote: String) throws -> SealedTransport {
        guard let keys = try describing({ try logKeys() }) else {
            throw StoreError(
                .notPermitted, "The log is sealed, and this device has none of its keys.",
                hint: "Use the passphrase or the recovery phrase: \(.acceptSeal(remote)).")
        }
        return try sealed(storage, with: keys)
    }

    /// Returns the sealed remote in `storage`, of which these keys are known.
    func sealed(_ storage: any Transport, with keys: LogKeys) throws -> SealedTransport {
        guard let identity = ownIdentity else { preconditionFailure("Keys are kept beside an identity.") }
        let recipient = RecipientKey(identity: identity)
        let last = LastWriting()
        let signer = try describing { try signingKey(of: log.rosterRow()) }
        return SealedTransport(storage, keys) { [logID] files in
            Self.unlock(files, with: recipient, of: logID, keys.root, signedBy: signer).flatMap { found in
                found.keyring.epochs.compactMap { found.keyring.key(of: $0) }
            }
        } writing: { [self] in
            do { return try await last.value(for: log.rosterRow()) { try await writingKey() } } catch let error
                as StoreError
            {
                throw TransportError.noKey(
                    error.code == .notPermitted
                        ? "there is no key with which this device may seal anything" : error.message)
            }
        }
    }
}

extension KeyFile.Contents {
    /// The public key for the passphrase; `nil` if there is none.
    fileprivate var passphraseKey: [UInt8]? { recipients.first { $0.kind == .passphrase }?.publicKey }
}

/// What was sealed with last, as long as nothing more was said of who belongs.
private final class LastWriting: Sendable {
    private let known = Mutex<(row: RosterRow, writing: SealedTransport.Writing)?>(nil)

    func value(
        for row: RosterRow, _ make: () async throws -> SealedTransport.Writing
    ) async throws -> SealedTransport.Writing {
        if let writing = known.withLock({ $0?.row == row ? $0?.writing : nil }) { return writing }
        let writing = try await make()
        known.withLock { $0 = (row, writing) }
        return writing
    }
}
