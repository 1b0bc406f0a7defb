import GroundwaveByteCoding

/// Finds out which events two stores do not have in common, by hashes alone: the side that asks.
///
/// The first question tells whether anything differs, and what is missing behind the last event of each replica. Where
/// the common part of a replica differs, the way goes down its tree, sixteen parts a level, to the single events.
///
/// There is no input or output in it: who holds it sends ``question`` and hands over the answer, until there is none.
/// The other side needs ``ComparisonQuestion/answer(log:vector:subtree:)``. Both stores may grow meanwhile; what is
/// compared is what this one had at the start.
///
/// ```swift
/// var comparison = TreeComparison(log: log.id, vector: try log.vector())
/// while let question = comparison.question {
///     let answer = try peer.ask(question)
///     try answer.withSpan { try comparison.receive($0, here: log.subtree(of:over:)) }
/// }
/// ```
///
/// Answers are checked: the parts of a subtree must make the hash that was sent for it. So a wrong answer ends the
/// comparison with an error, or is one about another store; it cannot name differences within equal trees.
public struct TreeComparison: Sendable {
    /// A subtree that differs, and what the other side said of it.
    private struct Open: Sendable {
        let subtree: SubtreeID
        let there: Subtree
    }

    /// What is known so far.
    public private(set) var differences = TreeDifferences()
    /// What to ask next; `nil` when the comparison is done.
    public var question: [UInt8]? { next?.bytes }

    private let log: LogID
    private let vector: VersionVector
    private let exchangeLimit: Int
    private var next: ComparisonQuestion?
    /// What differs and has more than one leaf, in order.
    private var open: [Open] = []

    /// A comparison that has not begun.
    ///
    /// - Parameters:
    ///   - log: Which log this store has.
    ///   - vector: What this store has.
    ///   - exchangeLimit: After so many exchanges, what is not told apart is left ``TreeDifferences/undecided``.
    public init(log: LogID, vector: VersionVector, exchangeLimit: Int = ComparisonLimits.exchanges) {
        self.log = log
        self.vector = vector
        self.exchangeLimit = exchangeLimit
        next = .trees(log, vector)
    }

    /// Takes the answer to ``question``.
    ///
    /// - Parameter here: What this store has of the tree over some leaves of a replica.
    /// - Precondition: There is a question.
    /// - Throws: ``ComparisonError`` where the answer is none; what `here` throws. The comparison cannot go on then.
    /// - Complexity: At most 512 subtrees, and one for each replica at the start.
    public mutating func receive(
        _ answer: RawSpan, here: (ReplicaID, Range<UInt64>) throws -> Subtree
    ) throws {
        guard let asked = next else { preconditionFailure("An answer follows a question.") }
        guard answer.byteCount <= ComparisonLimits.messageBytes else {
            throw ComparisonError.tooLong(answer.byteCount)
        }
        differences.exchanges += 1
        differences.bytes += asked.bytes.count + answer.byteCount
        switch asked {
        case .trees: try begin(TreesAnswer(answer, log: log), here)
        case .parts(let subtrees): try descend(answer, subtrees.count, here)
        }
        goOn()
        if next == nil { differences.differing.sort { $0.id < $1.id } }
    }

    /// Says what differs by the numbers of the last events, and looks at the common part of each replica.
    private mutating func begin(
        _ answer: TreesAnswer, _ here: (ReplicaID, Range<UInt64>) throws -> Subtree
    ) throws {
        differences.vectorThere = answer.vector
        differences.onlyHere = EventSet(vector.ranges(missingFrom: answer.vector))
        differences.onlyThere = EventSet(answer.vector.ranges(missingFrom: vector))
        for (entry, there) in zip(answer.vector.entries, answer.common) {
            let common = Swift.min(entry.sequence, vector[entry.replica])
            if common == 0 {
                guard there == .absent else { throw ComparisonError.malformed }
                continue
            }
            try compare(entry.replica, 0..<common, size: common, here(entry.replica, 0..<common), there)
        }
    }

    /// Looks at the parts of the first `count` open subtrees.
    private mutating func descend(
        _ answer: RawSpan, _ count: Int, _ here: (ReplicaID, Range<UInt64>) throws -> Subtree
    ) throws {
        var reader = ByteReader()
        let asked = open.prefix(count)
        let later = open.dropFirst(count)
        open = []
        for whole in asked {
            let (replica, size) = (whole.subtree.replica, whole.subtree.size)
            let parts = try whole.subtree.parts.map { ($0, try Self.subtree(&reader, answer)) }
            guard Subtree(joining: parts.map(\.1)) == whole.there else {
                throw ComparisonError.contradictory(replica, leaves: whole.subtree.leaves)
            }
            for (leaves, there) in parts {
                try compare(replica, leaves, size: size, here(replica, leaves), there)
            }
        }
        guard reader.offset == answer.byteCount else { throw ComparisonError.malformed }
        open += later
    }

    private static func subtree(_ reader: inout ByteReader, _ bytes: RawSpan) throws(ComparisonError) -> Subtree {
        let subtree: Subtree?
        do throws(ByteCodingError) { subtree = try reader.subtree(in: bytes) } catch { throw .malformed }
        guard let subtree else { throw .malformed }
        return subtree
    }

    /// Settles a subtree, or keeps it open for the next questions.
    private mutating func compare(
        _ replica: ReplicaID, _ leaves: Range<UInt64>, size: UInt64, _ here: Subtree, _ there: Subtree
    ) throws(ComparisonError) {
        let isLeaf = leaves.upperBound - leaves.lowerBound == 1
        let events = EventRange(replica, leaves.lowerBound + 1, through: leaves.upperBound)
        switch (here, there) {
        case (.absent, .absent): break
        case (.whole(let one), .whole(let other)) where one == other: break
        case (.whole, .absent): differences.onlyHere.insert(events)
        case (.absent, .whole): differences.onlyThere.insert(events)
        case (.whole(let one), .whole(let other)) where isLeaf:
            differences.differing.append(.init(id: EventID(replica, events.first), here: one, there: other))
        case _ where isLeaf: throw .malformed
        default: open.append(Open(subtree: SubtreeID(replica, size: size, leaves: leaves), there: there))
        }
    }

    /// What comes first is looked at first, down to its events: where many differ, at least the first are named.
    private mutating func goOn() {
        if open.isEmpty {
            next = nil
        } else if differences.exchanges < exchangeLimit {
            next = .parts(open.prefix(ComparisonLimits.subtrees).map(\.subtree))
        } else {
            differences.undecided = EventSet(
                open.map {
                    EventRange(
                        $0.subtree.replica, $0.subtree.leaves.lowerBound + 1, through: $0.subtree.leaves.upperBound)
                })
            open = []
            next = nil
        }
    }
}
