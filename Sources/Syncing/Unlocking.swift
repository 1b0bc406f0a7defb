import GroundwaveEvents
import GroundwaveRemotes
import GroundwaveReplication
import GroundwaveSealedRemotes
import GroundwaveSealing
import GroundwaveStore

/// What opens a sealed remote for a device that has no key of the log yet.
public enum Unlocking: Sendable {
    /// The passphrase of the log: the device can read everything, and counts once another one approves it.
    case passphrase(String)
    /// The recovery phrase: the device belongs to the log at once.
    case phrase(String)
    /// The code that a device of the log has shown: this device belongs to the log at once, if no other one has used it.
    case code(String)
}

extension Unlocking {
    /// Whether what somebody has typed is a code: of other texts of 20 letters and digits, one in a million.
    public static func isCode(_ text: String) -> Bool { (try? InvitationCode(reading: text)) != nil }

    /// What it is called.
    fileprivate var name: String {
        switch self {
        case .passphrase: "passphrase"
        case .phrase: "recovery phrase"
        case .code: "code"
        }
    }
}

/// The recovery phrase of a log, read from its words.
package struct KnownPhrase: Sendable {
    let phrase: RecoveryPhrase

    /// - Throws: ``StoreError`` with code `usage` if the words are no recovery phrase. It does not repeat them.
    package init(_ words: String) throws {
        do { phrase = try RecoveryPhrase(reading: words) } catch {
            throw StoreError(
                .usage, "This is not a recovery phrase: \(error).",
                hint: "It has 12 words, as they were shown when the log was sealed.", cause: error)
        }
    }
}

/// The code of an invitation, read from its letters.
package struct KnownCode: Sendable {
    let code: InvitationCode

    /// - Throws: ``StoreError`` with code `usage` if the letters are no code. It does not repeat them.
    package init(_ text: String) throws {
        do { code = try InvitationCode(reading: text) } catch {
            throw StoreError(
                .usage, "This is not a code: \(error).",
                hint: "It has 20 letters and digits, as the other device shows them.", cause: error)
        }
    }
}

extension Store {
    /// Returns the keys of the log at a sealed remote; `nil` if nothing there is sealed.
    ///
    /// Only those key files are believed that the recovery phrase has signed, or that somebody has confirmed who knew the
    /// passphrase or the code: whoever can write at the remote can put others there.
    ///
    /// - Throws: ``StoreError`` with code `notPermitted` if nothing that opens it was given, or if that is wrong; `damaged` if
    ///   the key files that it opens are false, or of several logs; ``TransportError``.
    package static func unlock(
        _ access: RemoteAccess, at address: RemoteAddress, with unlocking: Unlocking?
    ) async throws -> LogKeys? {
        guard case .storage(let storage) = access else { return nil }
        let place = PlacedKeys(at: storage)
        let files = try await place.files()
        if files.isEmpty {
            if unlocking == nil { return nil }
            throw StoreError(
                .notPermitted, "Nothing that lies at \(address) is sealed.",
                hint: """
                    Nothing was written. If the log is sealed, somebody has hidden its key files. If it is not, leave out the \
                    passphrase or phrase.
                    """)
        }
        guard let unlocking else {
            throw StoreError(
                .notPermitted, "What lies at \(address) is sealed.",
                hint: "Join it with the passphrase or the recovery phrase: \(.unlock).", cause: SealedRemote())
        }
        let isCode = if case .code = unlocking { true } else { false }
        var opened: [LogKeys] = []
        var reader: (scrypt: ScryptParameters, key: RecipientKey)?
        // A stranger can fill the remote with files that each ask for work.
        var (tries, isExhausted, isMisled) = (4, false, false)
        for file in files {
            let recipient: RecipientKey
            var signer: [UInt8]?
            switch unlocking {
            case .phrase(let words):
                let phrase = try KnownPhrase(words).phrase
                recipient = phrase.recipient
                signer = phrase.identity.publicKey
            case .code(let text): recipient = try KnownCode(text).code.recipient
            case .passphrase(let passphrase):
                if let reader, reader.scrypt == file.scrypt {
                    recipient = reader.key
                } else {
                    guard tries > 0 else {
                        isExhausted = true
                        continue
                    }
                    tries -= 1
                    recipient = try key(of: passphrase, file.scrypt)
                    reader = (file.scrypt, recipient)
                }
            }
            guard let key = try? file.epochKey(with: recipient), let contents = try? file.contents(with: key) else {
                continue
            }
            guard signer.map(contents.isSigned(by:)) ?? contents.isConfirmed(by: recipient) else {
                isMisled = true
                continue
            }
            opened.append(LogKeys(contents, with: isCode ? nil : key))
        }
        guard var keys = opened.first else {
            let what = unlocking.name
            if isExhausted {
                throw StoreError(
                    .notPermitted, "There are too many key files at \(address) to try the passphrase on all of them.",
                    hint: "Nothing was written. Somebody has put false ones there: join with the recovery phrase.")
            }
            if isMisled {
                throw StoreError(
                    .damaged,
                    "Each key file at \(address) that the \(what) opens is false: it is not of whoever sealed the log.",
                    hint: """
                        Nothing was written. A device that was revoked may have put it there: join through another remote \
                        of the log.
                        """)
            }
            throw StoreError(
                .notPermitted, "The \(what) does not open what lies at \(address).",
                hint: isCode
                    ? """
                    Nothing was written. It works once the device that shows it has synchronised there, until it is used or \
                    its time is over.
                    """
                    : "Nothing was written. Try again: capitals and blanks matter in a passphrase.")
        }
        guard
            opened.allSatisfy({
                $0.log == keys.log && $0.root == keys.root && $0.keyring.namesKey == keys.keyring.namesKey
            })
        else {
            throw StoreError(
                .damaged, "The key files at \(address) are of several logs, or of one that was sealed twice.",
                hint: "Nothing was written. Join through another remote of the log.")
        }
        for other in opened {
            for epoch in other.keyring.epochs { other.keyring.key(of: epoch).map { keys.keyring.add($0) } }
        }
        return keys
    }

    /// Keeps the keys of the log, and believes which event has sealed it.
    ///
    /// - Throws: ``StoreError`` with code `exists` if another event has sealed the log here.
    package func adopt(_ keys: LogKeys) throws {
        if let root = try describing({ try log.rosterRow().root }), root != keys.root { throw Self.wasSealedTwice }
        try files.write(keys)
        guard try describing({ try log.believe(keys.root) }) else { throw Self.wasSealedTwice }
    }

    private static var wasSealedTwice: StoreError {
        StoreError(
            .exists, "The log was sealed twice: the one at this remote is not the one here.",
            hint: "Nothing was changed. Use another remote; or join this one in a new folder.")
    }
}

/// The remote is sealed, and nothing was given that opens it.
struct SealedRemote: Error {}

extension StoreError {
    /// Whether something that opens a sealed remote is all that is missing.
    public var isSealedRemote: Bool { cause is SealedRemote || (cause as? StoreError)?.isSealedRemote ?? false }
}
