import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveRadio

// The members of the file are listed in Docs/Proofs.md. All bytes are hexadecimal, so that common tools can read
// them.
extension ContactProof {
    /// Reads a proof from the bytes of its file. Only signatures are checked here: see ``check()``.
    ///
    /// - Throws: ``StoreError`` with code `damaged` if it is not a proof.
    public init(json bytes: [UInt8]) throws {
        let object = try ProofObject.file(bytes, type: "proof", ["events", "trees"])
        items = try object.list("events", limit: Limits.events).map { json in
            let event = try ProofObject(
                json, "An event", ["header", "shape", "path"], optional: ["values", "valuesHash"])
            guard event.has("values") != event.has("valuesHash") else {
                throw ProofObject.damaged("An event has neither values nor their hash, or both.")
            }
            let isWithheld = event.has("valuesHash")
            let values = isWithheld ? try event.bytes("valuesHash", count: 32) : try event.bytes("values")
            let parts = (header: try event.bytes("header"), shape: try event.bytes("shape"))
            guard
                let detached = try? DetachedEvent(
                    header: parts.header, shape: parts.shape, values: values, isWithheld: isWithheld)
            else { throw ProofObject.damaged("The header of an event is malformed.") }
            return Item(event: detached, path: try event.hashes("path", limit: Limits.pathCount))
        }
        trees = try object.list("trees", limit: Limits.events).map(Self.tree)
    }

    private static func tree(_ json: JSONText) throws -> Tree {
        let signed = SignedHead.signedMembers
        let object = try ProofObject(
            json, "A tree", ["replica", "events", "root"], optional: signed.union(["since"]))
        var since: Earlier?
        if object.has("since") {
            let earlier = try ProofObject(try object.value("since"), "An earlier tree", ["events", "root", "path"])
            since = Earlier(
                events: try earlier.number("events"), root: try earlier.hash("root"),
                path: try earlier.hashes("path", limit: Limits.pathCount))
        }
        return Tree(
            replica: try object.id("replica"), events: try object.number("events"), root: try object.hash("root"),
            head: signed.contains(where: object.has) ? try SignedHead(object) : nil, since: since)
    }

    /// Encodes the proof as a file.
    ///
    /// - Throws: `EncodingError`, which no value of it causes.
    public func json() throws -> [UInt8] {
        try ProofFile.encode(Form(events: items.map(Form.Event.init), trees: trees.map(Form.Tree.init)))
    }

    private struct Form: Encodable {
        struct Event: Encodable {
            var header: String
            var shape: String
            var values: String?
            var valuesHash: String?
            var path: [String]

            init(_ item: Item) {
                header = Hexadecimal.encode(item.event.header)
                shape = Hexadecimal.encode(item.event.shape)
                let bytes = Hexadecimal.encode(item.event.values)
                values = item.event.isWithheld ? nil : bytes
                valuesHash = item.event.isWithheld ? bytes : nil
                path = item.path.map(\.description)
            }
        }

        struct Tree: Encodable {
            struct Since: Encodable {
                var events: UInt64
                var root: String
                var path: [String]
            }

            var replica: String
            var events: UInt64
            var root: String
            var log: String?
            var key: String?
            var signature: String?
            var since: Since?

            init(_ tree: ContactProof.Tree) {
                replica = "\(tree.replica)"
                events = tree.events
                root = "\(tree.root)"
                log = tree.head.map { "\($0.log)" }
                key = tree.head.map { Hexadecimal.encode($0.publicKey) }
                signature = tree.head.map { Hexadecimal.encode($0.signature) }
                since = tree.since.map {
                    Since(events: $0.events, root: "\($0.root)", path: $0.path.map(\.description))
                }
            }
        }

        var v = 1
        var groundwave = "proof"
        var events: [Event]
        var trees: [Tree]
    }
}
