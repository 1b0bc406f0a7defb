import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveStore

extension SignedHead {
    /// Parses the bytes of a file with a signed head, and checks its key and signature: see `Docs/Proofs.md`.
    ///
    /// - Throws: ``StoreError`` with code `damaged` if it is not such a file, its version is unknown, or the key or
    ///   signature is wrong.
    public init(json bytes: [UInt8]) throws {
        let object = try ProofObject.file(
            bytes, type: "head", Self.signedMembers.union(["replica", "events", "root"]))
        try self.init(object)
    }

    /// The members that the JSON object of a tree has only if its head is signed.
    static let signedMembers: Set<String> = ["log", "key", "signature"]

    /// Takes the head from the members of `object`, and checks its key and signature.
    init(_ object: ProofObject) throws {
        self.init(
            log: try object.id("log"), replica: try object.id("replica"), sequence: try object.number("events"),
            root: try object.hash("root"), publicKey: try object.bytes("key", count: 32),
            signature: try object.bytes("signature", count: 64))
        do throws(SignedHeadError) { try check() } catch {
            switch error {
            case .foreignKey:
                throw StoreError(.damaged, "The key of the signed head does not belong to the device \(replica.short).")
            case .wrongSignature:
                throw StoreError(.damaged, "The signature of the signed head of the device \(replica.short) is wrong.")
            }
        }
    }

    /// Returns the bytes of a file with the head: see `Docs/Proofs.md`.
    ///
    /// - Throws: `EncodingError`, which no value of it causes.
    public func json() throws -> [UInt8] {
        try ProofFile.encode(
            Form(
                log: "\(log)", replica: "\(replica)", events: sequence, root: "\(root)",
                key: Hexadecimal.encode(publicKey), signature: Hexadecimal.encode(signature)))
    }

    private struct Form: Encodable {
        var v = 1
        var groundwave = "head"
        var log: String
        var replica: String
        var events: UInt64
        var root: String
        var key: String
        var signature: String
    }
}
