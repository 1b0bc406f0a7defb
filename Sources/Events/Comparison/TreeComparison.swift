import GroundwaveByteCoding

/// Finds the events that two stores do not have in common, by hashes alone: the side that asks.
///
/// The first answer shows whether anything differs, and which events are missing at the end of each replica. If the
/// common part of a replica differs, the comparison descends its tree, sixteen parts a level, to the single events.
///
/// It does no input or output: the caller sends ``question`` and passes the answer to ``receive(_:here:)``, until
/// there is no question. The other side needs ``ComparisonQuestion/answer(log:vector:subtree:)``. Both stores may
/// grow meanwhile; the comparison covers what this store had at the start.
///
/// ```swift
/// var comparison = TreeComparison(log: log.id, vector: try log.vector())
/// while let question = comparison.question {
///     let answer = try peer.ask(question)
///     try answer.withSpan { try comparison.receive($0, here: log.subtree(of:over:)) }
/// }
/// ```
///
/// Answers are checked: the parts of a subtree must give the hash that was sent for it. So a wrong answer ends the
/// comparison with an error, or describes another store; it cannot report differences within equal trees.
public struct TreeComparison: Sendable {
    /// A subtree that differs, and its state on the other side.
    private struct Open: Sendable {
        let subtree: SubtreeID
        let there: Subtree
    }

    /// The differences found so far.
    public private(set) var differences = TreeDifferences()
    /// The next question; `nil` when the comparison is complete.
    public var question: [UInt8]? { next?.bytes }

    private let log: LogID
    private let vector: VersionVector
    private let exchangeLimit: Int
    private var next: ComparisonQuestion?
    /// The subtrees that differ and have more than one leaf, in order.
    private var open: [Open] = []

    /// A comparison that has not begun.
    ///
    /// - Parameters:
    ///   - log: The log of this store.
    ///   - vector: The version vector of this store.
    ///   - exchangeLimit: The number of exchanges after which the differences not yet located become
    ///     ``TreeDifferences/undecided``.
    public init(log: LogID, vector: VersionVector, exchangeLimit: Int = ComparisonLimits.exchanges) {
        self.log = log
        self.vector = vector
        self.exchangeLimit = exchangeLimit
        next = .trees(log, vector)
    }

    /// Processes the answer to ``question``.
    ///
    /// - Parameter here: Returns this store's subtree over some leaves of a replica.
    /// - Precondition: There is a question.
    /// - Throws: ``ComparisonError`` if the answer is invalid; errors of `here`. The comparison cannot continue then.
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
        setNextQuestion()
        if next == nil { differences.differing.sort { $0.id < $1.id } }
    }

    /// Records what differs by the numbers of the last events, and compares the common part of each replica.
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

    /// Compares the parts of the first `count` open subtrees.
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

    /// Resolves a subtree, or keeps it open for the next questions.
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

    /// Sets the next question. The first subtrees are followed down to their events first, so that at least the first
    /// differing events are found if many differ.
    private mutating func setNextQuestion() {
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
