import GroundwaveByteCoding

/// Says of a replica that its clock was wrong: whatever it stamped with ``from`` or later was written at ``ceiling`` at
/// the latest.
///
/// Declarations are the elements of a field of the record of that replica, so they come as events and are taken back as
/// such. As text, two numbers with a blank between them.
package struct ClockDeclaration: Hashable, Comparable, Sendable {
    /// The first wrong time that its clock showed, in milliseconds since 1970.
    package var from: Int64
    /// When all of that was written at the latest, in milliseconds since 1970.
    package var ceiling: Int64

    /// The kind of the records of replicas.
    package static let kind = "replica"
    /// The number of the field with the declarations.
    package static let field: UInt32 = 7

    /// Creates a declaration; times that no stamp can have become the nearest one.
    package init(from: Int64, ceiling: Int64) {
        self.from = Stamp(milliseconds: from).milliseconds
        self.ceiling = Stamp(milliseconds: ceiling).milliseconds
    }

    /// Reads an element of the field; `nil` if it is not a declaration, which then has no effect.
    package init?(reading value: some Sequence<UInt8>) {
        let words = String(decoding: Array(value), as: UTF8.self).split(
            separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, let from = Int64(words[0]), let ceiling = Int64(words[1]) else { return nil }
        self.init(from: from, ceiling: ceiling)
        guard from == self.from, ceiling == self.ceiling else { return nil }
    }

    /// The element of the field.
    package var text: String { "\(from) \(ceiling)" }

    /// By the first wrong time, then by the ceiling.
    package static func < (left: ClockDeclaration, right: ClockDeclaration) -> Bool {
        (left.from, left.ceiling) < (right.from, right.ceiling)
    }
}

/// The declarations that count in a fold, by replica.
///
/// A stamp at or after a declared time is read as the lesser one of itself and the least ceiling that applies to it.
package struct ClockDeclarations: Hashable, Sendable {
    /// The declarations of each replica that change anything, by the first wrong time, so that their ceilings go down.
    private(set) var steps: [ReplicaID: [ClockDeclaration]] = [:]

    /// No declarations.
    package init() {}

    /// Whether no stamp is lowered.
    package var isEmpty: Bool { steps.isEmpty }

    /// The replicas with declarations.
    package var replicas: some Collection<ReplicaID> { steps.keys }

    /// Adds declarations to those of a replica. Cost: O(*n* log *n*).
    package mutating func add(_ declarations: [ClockDeclaration], of replica: ReplicaID) {
        var least: [ClockDeclaration] = []
        for declaration in ((steps[replica] ?? []) + declarations).sorted() {
            if let last = least.last, last.ceiling <= declaration.ceiling { continue }
            least.append(declaration)
        }
        steps[replica] = least.isEmpty ? nil : least
    }

    /// Gives `branch` the declarations of `replica`, of whose history it is a part.
    package mutating func copy(_ replica: ReplicaID, to branch: ReplicaID) { steps[branch] = steps[replica] }

    /// Returns the stamp that counts for an event of `replica` with `stamp`. Cost: O(log declarations of the replica).
    package func stamp(_ stamp: Stamp, of replica: ReplicaID) -> Stamp {
        guard let steps = steps[replica] else { return stamp }
        var (low, high) = (0, steps.count)
        while low < high {
            let middle = (low + high) / 2
            if steps[middle].from <= stamp.milliseconds { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? stamp : min(stamp, Stamp(milliseconds: steps[low - 1].ceiling))
    }

    /// Returns the least stamp from which on everything of `replica` counts as written by `stamp`; `nil` if no declaration
    /// says so.
    package func firstStamp(of replica: ReplicaID, countedUpTo stamp: Stamp) -> Stamp? {
        let first = steps[replica]?.first { Stamp(milliseconds: $0.ceiling) <= stamp }
        return first.map { Stamp(milliseconds: $0.from) }
    }

    /// Returns, for each replica of which these and `others` say something else, the least stamp that they may read
    /// differently.
    package func differences(from others: ClockDeclarations) -> [ReplicaID: Stamp] {
        var first: [ReplicaID: Stamp] = [:]
        for replica in Set(steps.keys).union(others.steps.keys) {
            let (one, other) = (Set(steps[replica] ?? []), Set(others.steps[replica] ?? []))
            if let least = one.symmetricDifference(other).min() { first[replica] = Stamp(milliseconds: least.from) }
        }
        return first
    }
}

extension ClockDeclarations {
    /// Encodes the declarations, in order of the replicas.
    package func encode() -> [UInt8] {
        var writer = ByteWriter()
        writer.append(varint: steps.count)
        for (replica, steps) in steps.sorted(by: { $0.key < $1.key }) {
            writer.append(replica)
            writer.append(varint: steps.count)
            for step in steps {
                writer.append(varint: UInt64(step.from))
                writer.append(varint: UInt64(step.ceiling))
            }
        }
        return writer.bytes
    }

    /// Decodes what ``encode()`` has encoded.
    package init(decoding bytes: RawSpan) throws(ByteCodingError) {
        var reader = ByteReader()
        for _ in 0..<(try reader.count(in: bytes, limit: bytes.byteCount / 17)) {
            let replica = ReplicaID(at: try reader.skip(16, in: bytes).lowerBound, of: bytes)
            var declarations: [ClockDeclaration] = []
            for _ in 0..<(try reader.count(in: bytes, limit: bytes.byteCount / 2)) {
                declarations.append(
                    ClockDeclaration(
                        from: Int64(clamping: try reader.varint(in: bytes)),
                        ceiling: Int64(clamping: try reader.varint(in: bytes))))
            }
            add(declarations, of: replica)
        }
        try reader.finish(in: bytes)
    }
}
