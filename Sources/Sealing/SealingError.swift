/// Why something sealed could not be opened, or a secret not be used.
package enum SealingError: Error, Hashable, Sendable {
    /// It has a size, in bytes, that nothing of its type has.
    case wrongSize(Int)
    /// It does not begin as what it should be.
    case wrongMagic
    /// The key of its epoch is not in the keyring.
    case unknownEpoch(EpochID)
    /// It is not what was sealed with this key, for this log and under this name.
    case wrongKeyOrChanged
    /// It was sealed with the right key, but its lengths or numbers do not add up.
    case malformed
    /// The scrypt parameters of a passphrase are none that are computed.
    case unacceptableParameters
    /// A passphrase is empty, or has more than 1,024 bytes.
    case unacceptablePassphrase
    /// The key of a passphrase needs this much memory, which there is not.
    case outOfMemory(byteCount: Int)
    /// The recipient of a key file at this place, from 0, has a public key for which nothing can be sealed.
    case unusableRecipient(Int)
    /// The key opens none of the wraps of a key file.
    case notARecipient
    /// A recovery phrase has this many words, and not 12.
    case wrongWordCount(Int)
    /// A word of a recovery phrase, counted from 1, is not in the list. The word is not told: it may be nearly the secret.
    case unknownWord(position: Int)
    /// The words of a recovery phrase do not belong together: one of them is wrong, or in another place.
    case wrongChecksum
    /// What should be the code of an invitation is none: a letter is wrong or missing.
    case wrongCode
}

extension SealingError: CustomStringConvertible {
    /// What is wrong, in words.
    package var description: String {
        switch self {
        case .wrongSize(let byteCount): "it has \(byteCount) bytes, which nothing of its type has"
        case .wrongMagic: "it does not begin as what it should be"
        case .unknownEpoch(let epoch): "it is sealed with the key of epoch \(epoch), which is not here"
        case .wrongKeyOrChanged: "it was changed, is of another log or name, or was sealed with another key"
        case .malformed: "its lengths or numbers do not add up"
        case .unacceptableParameters: "it asks for scrypt parameters that are not computed"
        case .unacceptablePassphrase: "a passphrase has at least one letter and at most 1,024 bytes"
        case .outOfMemory(let byteCount): "its passphrase needs \(byteCount >> 20) MiB of memory, which there is not"
        case .unusableRecipient(let index): "recipient \(index + 1) has a public key for which nothing can be sealed"
        case .notARecipient: "it is not sealed for this key"
        case .wrongWordCount(let count): "a recovery phrase has 12 words, not \(count)"
        case .unknownWord(let position): "word \(position) is not in the list of recovery words"
        case .wrongChecksum: "the words do not belong together: one of them is wrong, or in another place"
        case .wrongCode: "a letter of the code is wrong or missing"
        }
    }
}
