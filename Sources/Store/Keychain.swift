import Foundation
import GroundwaveSealing

/// A place outside the stores that keeps a secret for an application, such as the keychain of the system.
///
/// With one in ``Configuration/keychain``, the private key of a store and the keys of its sealed log are encrypted on disk,
/// with one secret of 32 bytes for all stores of the application. It is made when it is needed first. An application that loses
/// it keeps its logs: each store then continues as a new replica, which in a sealed log has to be approved.
///
/// The methods are called on any thread, also while other programs wait to write: they ask nobody, and use no store.
public protocol Keychain: Sendable {
    /// Returns the secret called `name`, as it was given to ``add(_:named:)``; `nil` if there is none.
    ///
    /// Return `nil` only if it is certain that there is none: a store that was encrypted with it then gets a new key.
    ///
    /// - Throws: Any error if the keychain cannot be used now, for example because the device is locked. The caller gets
    ///   ``StoreError`` with code `busy` and this error as ``StoreError/cause``, and nothing is replaced.
    func secret(named name: String) throws -> [UInt8]?

    /// Keeps `secret` under `name`, unless there is one of that name. Once this returns, it is not lost.
    ///
    /// - Returns: Whether it was kept: `false` if there is one already, which stays.
    /// - Throws: Any error if the keychain cannot be used now, as for ``secret(named:)``.
    func add(_ secret: [UInt8], named name: String) throws -> Bool
}

/// A file of a store that holds a secret.
package enum SecretFile: String, Sendable {
    /// The private key of the replica.
    case identity
    /// The keys of a sealed log.
    case keys
}

extension StoreFiles {
    /// What the secret is called in a keychain: it is the same for all stores of an application.
    private static let secretName = "groundwave"

    /// The path of a file with a secret.
    package func path(of file: SecretFile) -> String { folder.appending(path: file.rawValue).path }

    /// Whether the private key is encrypted with the secret of another program: then it cannot be read, and is not damaged.
    package var isKeyOfAnotherProgram: Bool {
        guard keychain == nil, let bytes = FileManager.default.contents(atPath: identity) else { return false }
        return LockedFile.isLocked([UInt8](bytes))
    }

    /// Returns whether a file with these bytes has to be written anew, since there is a keychain and they are not encrypted.
    package func isToBeLocked(_ bytes: [UInt8]) -> Bool { keychain != nil && !LockedFile.isLocked(bytes) }

    /// Returns the bytes of a file with `content`: encrypted, if there is a keychain.
    ///
    /// - Throws: ``StoreError`` with code `busy` if the keychain cannot be used now, `invalid` if what it returns is no secret.
    package func locked(_ content: [UInt8], as file: SecretFile) throws -> [UInt8] {
        guard let keychain else { return content }
        return LockedFile.lock(content, as: file.rawValue, with: try secretOrNewOne(in: keychain))
    }

    /// Returns the content of a file with these bytes.
    ///
    /// - Throws: ``StoreError`` with code `notPermitted` if they are encrypted and there is no keychain; `damaged` if the secret
    ///   of the keychain does not open them, or there is none; as ``locked(_:as:)``.
    package func unlocked(_ bytes: [UInt8], of file: SecretFile) throws -> [UInt8] {
        guard LockedFile.isLocked(bytes) else { return bytes }
        guard let keychain else {
            throw StoreError(
                .notPermitted, "The key of the store \(folder.path) lies in the keychain of another program.",
                hint: "Open the store with the program that has made it.")
        }
        let secret = try secret(in: keychain)
        if let secret, let content = try? LockedFile.open(bytes, as: file.rawValue, with: secret) { return content }
        let reason = secret == nil ? "the keychain has no secret" : "it was changed, or the keychain has another secret"
        throw StoreError(
            .damaged, "The file \(path(of: file)) cannot be decrypted: \(reason).",
            hint: "The secret cannot be recreated. What still works: \(.verify)")
    }

    private func secret(in keychain: any Keychain) throws -> [UInt8]? {
        guard let secret = try asking({ try keychain.secret(named: Self.secretName) }) else { return nil }
        guard secret.count == 32 else {
            throw StoreError(
                .invalid, "The keychain has returned a secret of \(secret.count) bytes instead of 32.",
                hint: "Nothing was changed.")
        }
        return secret
    }

    private func secretOrNewOne(in keychain: any Keychain) throws -> [UInt8] {
        if let secret = try secret(in: keychain) { return secret }
        var generator = SystemRandomNumberGenerator()
        let new = randomBytes(32, using: &generator)
        let isNew = try asking { try keychain.add(new, named: Self.secretName) }
        // Another process may have been faster. What the keychain does not return is not kept, and would be lost with all that
        // is encrypted with it.
        guard let secret = try secret(in: keychain), !isNew || secret == new else {
            throw StoreError(
                .busy, "The keychain has not kept the secret of the store \(folder.path).",
                hint: "Nothing was changed. Try again.")
        }
        return secret
    }

    /// Runs `body`, which calls the keychain.
    private func asking<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch {
            throw StoreError(
                .busy, "The keychain with the secret of the store \(folder.path) cannot be used now.",
                hint: "Nothing was changed. Try again once the device is unlocked.", cause: error)
        }
    }
}
