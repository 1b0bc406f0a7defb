import GroundwaveEvents

/// The identity proof: with it one end of a connection shows that it is a certain replica.
///
/// | size | |
/// |---|---|
/// | 32 | public key, Ed25519 |
/// | 64 | signature |
///
/// What is signed:
///
/// | size | |
/// |---|---|
/// | 21 | `groundwave connection` |
/// | 1 | role of the signer: 1 for the initiator, 2 for the responder |
/// | 32 | hash of the handshake |
///
/// A signature over the handshake, sent under its keys, is what SIGMA does (H. Krawczyk, "SIGMA: the 'SIGn-and-MAc'
/// approach to authenticated Diffie-Hellman", CRYPTO 2003). The hash binds it to this connection, and the role to its
/// direction, so that nobody's proof is of use to anybody else. The tag of the record binds the public key to the keys of
/// the connection.
enum IdentityProof {
    /// The size of a proof in bytes.
    static let size = 96

    /// Returns the proof of `identity` for the connection with the handshake `hash`.
    static func bytes(of identity: Identity, as role: NoiseHandshake.Role, _ hash: [UInt8]) -> [UInt8] {
        identity.publicKey + identity.sign(message(role, hash))
    }

    /// Returns the public key of the other end, which has the role `role`; `nil` if it does not prove that it has the
    /// private key.
    static func publicKey(provedBy proof: [UInt8], as role: NoiseHandshake.Role, _ hash: [UInt8]) -> [UInt8]? {
        guard proof.count == size else { return nil }
        let (publicKey, signature) = (Array(proof[..<32]), Array(proof[32...]))
        return Identity.isValid(signature, of: message(role, hash), by: publicKey) ? publicKey : nil
    }

    private static func message(_ role: NoiseHandshake.Role, _ hash: [UInt8]) -> [UInt8] {
        Array("groundwave connection".utf8) + [role.rawValue] + hash
    }
}
