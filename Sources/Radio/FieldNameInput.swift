import GroundwaveADIF
import GroundwaveRecords

/// Parses the name of a field that a user entered.
enum FieldNameInput {
    /// Returns the field named `text`.
    ///
    /// A name that ADIF does not have is kept, since other programs define their own fields. It is refused if it
    /// looks like a misspelling of a known name, or if a file could not contain it.
    ///
    /// - Parameter record: The edited record: fields that it already has are accepted.
    static func name(_ text: String, in record: Record?, remarks: inout [String]) throws(EntryProblem) -> FieldName {
        let name = FieldName(text)
        guard text.wholeMatch(of: /[^<>:,{}\s]{1,255}/) != nil,
            !text.unicodeScalars.contains(where: { $0.value < 0x21 })
        else {
            throw EntryProblem(
                "“\(text)” is not a valid field name.", hint: "ADIF's names are like FREQ or MY_RIG.")
        }
        if name == "SESSION" {
            throw EntryProblem(
                "SESSION is not an ADIF field.", hint: "A contact is given its session apart from its fields.")
        }
        if name.isHeaderField {
            throw EntryProblem("\(name) belongs in the header of a file, not in a contact.")
        }
        if name.isKnown || name.isApplicationDefined || record?.text(name) != nil { return name }
        let known = FieldName.allKnown.map(\.name)
        if let meant = Spelling.nearest(to: name.name, among: known) {
            throw EntryProblem(
                "ADIF has no field \(name).", hint: "Did you mean \(meant)? Name your own fields APP_….")
        }
        remarks.append("ADIF has no field \(name); it was kept unchanged.")
        return name
    }
}

/// Suggests corrections of misspelled words.
public enum Spelling {
    /// Returns the nearest of `words` that differs from `word` by one edit, or by two if `word` has six letters or
    /// more; `nil` if there is none. An edit inserts, removes or replaces a letter, or exchanges two adjacent ones.
    public static func nearest(to word: String, among words: [String]) -> String? {
        let bound = word.count >= 6 ? 2 : 1
        let distances = words.map { (word: $0, distance: distance(Array(word.utf8), Array($0.utf8))) }
        return distances.filter { $0.distance <= bound }.min { $0.distance < $1.distance }?.word
    }

    // Optimal string alignment: Levenshtein distance in which an exchange of neighbours is one edit.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        if abs(left.count - right.count) > 2 { return 3 }
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for (row, a) in left.enumerated() {
            var current = [row + 1]
            for (column, b) in right.enumerated() {
                var cost = min(last[column + 1] + 1, current[column] + 1, last[column] + (a == b ? 0 : 1))
                if row > 0, column > 0, a == right[column - 1], left[row - 1] == b {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            beforeLast = last
            last = current
        }
        return last[right.count]
    }
}
