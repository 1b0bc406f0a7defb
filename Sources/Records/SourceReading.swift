import GroundwaveEvents

/// How heads are read of which import sources wrote some: ``MergePolicy/sources`` (decision 36).
///
/// It is a function of the heads alone, so every store that has the same heads shows the same, in whatever order they
/// arrived.
struct SourceReading {
    /// The heads; the last one is shown.
    private(set) var heads: [Record.Head]
    /// The value that is shown.
    private(set) var value: [UInt8]?
    /// For each member of a register, the index of the head whose value is shown; `nil` for none. Empty for a plain field.
    private(set) var parts: [Int?] = []
    /// The indexes of the heads of sources that contradict what is shown.
    private(set) var contradictions: [Int] = []

    /// Reads at least one head of the field `name`.
    ///
    /// - Parameters:
    ///   - members: The members of a register; empty for a plain field.
    ///   - covers: Whether one value of a field or member says all that another says.
    /// - Complexity: O(heads × members): a device may write any number of heads into one field, so of those of sources only
    ///   the ``comparedCount`` that were said first are compared with one another. Nearly all fields have one head and are not
    ///   read so.
    init(
        _ heads: [Record.Head], of name: String, members: [String],
        covers: @escaping (_ name: String, _ value: [UInt8], _ other: [UInt8]) -> Bool
    ) {
        let comparison = Comparison(names: members.isEmpty ? [name] : members, covers: covers)
        let sorted = heads.sorted(by: Record.Head.shows)
        func word(_ head: Record.Head) -> Word {
            let values =
                members.isEmpty
                ? [head.value] : Register(decoding: head.value ?? [], memberCount: members.count).values
            return Word(head: head, values: values.map { $0?.isEmpty ?? true ? nil : $0 })
        }
        let sources = sorted.filter { !$0.isDecision }
        let said = sources.map(word).filter(\.isSaid).sorted { $0.wasSaid(before: $1) }
        let finest = comparison.finest(of: said.prefix(Self.comparedCount))
        let hands = sorted.filter(\.isDecision)
        guard let top = hands.last.map(word) ?? finest.first else {
            // Nothing but empty values, and values that are withheld.
            self.heads = sorted
            value = sorted.last?.value
            return
        }
        let isByHand = top.head.isDecision
        let others = sources.filter { $0.id != top.head.id }
        self.heads = others + (isByHand ? hands : [top.head])
        // What a person cleared, or what is withheld, is not filled in.
        let (values, from) =
            isByHand && !top.isSaid ? (top.values, []) : comparison.fill(top, from: finest, refines: !isByHand)
        let isFilled = from.contains { $0 != nil && $0 != top.head.id }
        value = isFilled ? Register(values).encode() : top.head.value
        // A damaged row may have two heads of one name.
        let places = Dictionary(self.heads.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
        if !members.isEmpty { parts = values.indices.map { from.isEmpty ? nil : from[$0].flatMap { places[$0] } } }
        if top.head.isWithheld { return }
        contradictions = (finest + said.dropFirst(Self.comparedCount)).filter { !comparison.says(values, $0.values) }
            .compactMap { places[$0.head.id] }.sorted()
    }

    /// The number of heads of sources that are compared with one another: more than a field has unless somebody makes them.
    static let comparedCount = 64
}

/// One head, as the values that it has: one, or those of the members of a register.
private struct Word {
    let head: Record.Head
    let values: [[UInt8]?]

    /// Whether it has any.
    var isSaid: Bool { values.contains { $0 != nil } }

    /// The order in which sources spoke; two that spoke at the same time have one in every store.
    func wasSaid(before other: Word) -> Bool {
        head.since == other.head.since
            ? Record.Head.shows(head, before: other.head) : head.since < other.head.since
    }
}

/// Compares the words of one field.
private struct Comparison {
    /// The members of the register, or the one name of a plain field.
    let names: [String]
    let covers: (_ name: String, _ value: [UInt8], _ other: [UInt8]) -> Bool

    /// Returns the words that no other one refines, the one to be shown first.
    ///
    /// Of words that contradict each other the one that was said first stays, and a finer word takes the place of a coarser
    /// one.
    func finest(of words: ArraySlice<Word>) -> [Word] {
        if words.count < 2 { return Array(words) }
        let best = words.filter { word in
            !words.contains { says($0.values, word.values) && !says(word.values, $0.values) }
        }
        let contested = contested(best)
        let placed = best.map { word in (place: place(of: word, in: contested, among: words), word: word) }
        return placed.sorted { left, right in
            left.place == right.place ? left.word.wasSaid(before: right.word) : left.place < right.place
        }.map(\.word)
    }

    /// Returns the members of which words contradict each other; all, if there are none.
    private func contested(_ words: [Word]) -> [Int] {
        let contested = names.indices.filter { member in
            words.contains { one in words.contains { contradicts(member, one.values[member], $0.values[member]) } }
        }
        return contested.isEmpty ? Array(names.indices) : contested
    }

    /// Returns when anything of what `word` says of `members` was said first, by any of `words`.
    private func place(of word: Word, in members: [Int], among words: ArraySlice<Word>) -> Stamp {
        var first = Stamp(rawValue: .max)
        for member in members {
            guard let value = word.values[member] else { continue }
            for other in words where other.values[member].map({ covers(names[member], value, $0) }) ?? false {
                first = min(first, other.head.since)
            }
        }
        return first
    }

    /// Returns the values of `top` with those that it lacks, from the words that contradict nothing of it, and the head of
    /// each.
    ///
    /// - Parameter refines: Whether finer values replace its own.
    func fill(_ top: Word, from words: [Word], refines: Bool) -> (values: [[UInt8]?], from: [HeadID?]) {
        var values = top.values
        var from = values.map { $0 == nil ? nil : Optional(top.head.id) }
        // A plain field has one value, which the first of the finest words says.
        if values.count == 1 { return (values, from) }
        for word in words where word.head.id != top.head.id && !contradicts(values, word.values) {
            for (member, new) in word.values.enumerated() {
                guard let new else { continue }
                let isBetter = values[member].map { refines && !covers(names[member], $0, new) } ?? true
                if isBetter { (values[member], from[member]) = (new, word.head.id) }
            }
        }
        return (values, from)
    }

    /// Whether `values` say all that `others` say.
    func says(_ values: [[UInt8]?], _ others: [[UInt8]?]) -> Bool {
        others.indices.allSatisfy { member in
            guard let other = others[member] else { return true }
            return values[member].map { covers(names[member], $0, other) } ?? false
        }
    }

    /// Whether one of the values that both have is another one, and not only finer or coarser.
    private func contradicts(_ values: [[UInt8]?], _ others: [[UInt8]?]) -> Bool {
        names.indices.contains { contradicts($0, values[$0], others[$0]) }
    }

    private func contradicts(_ member: Int, _ value: [UInt8]?, _ other: [UInt8]?) -> Bool {
        guard let value, let other else { return false }
        return !covers(names[member], value, other) && !covers(names[member], other, value)
    }
}
