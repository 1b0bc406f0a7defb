import ByteCoding
import Events

extension SignedHead {
    /// The head in the file with these bytes, whose key and signature are right.
    ///
    /// - Throws: ``StoreError`` with code `damaged` where it is no head, or the signature is wrong.
    public init(json bytes: [UInt8]) throws {
        let object = try ProofObject.file(
            bytes, type: "head", Self.signedMembers.union(["replica", "events", "root"]))
        try self.init(object)
    }

    /// The members that make a tree's object that of a signed one.
    static let signedMembers: Set<String> = ["log", "key", "signature"]

    /// The head that the members of `object` say, whose key and signature are right.
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

    /// The head as a file: see `Docs/Proofs.md`.
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
