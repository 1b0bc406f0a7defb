import ADIF
import Records

/// The name of a field as a person types it.
enum FieldNameInput {
    /// The field called `text`.
    ///
    /// A name that ADIF does not have is kept (other programs have fields of their own), unless a letter in it was
    /// mistyped, or no file could carry it.
    ///
    /// - Parameter record: What is edited: a field that it has already is no mistake.
    static func name(_ text: String, in record: Record?, remarks: inout [String]) throws(EntryProblem) -> FieldName {
        let name = FieldName(text)
        guard text.wholeMatch(of: /[^<>:,{}\s]{1,255}/) != nil,
            !text.unicodeScalars.contains(where: { $0.value < 0x21 })
        else {
            throw EntryProblem(
                "“\(text)” is not a valid field name.", hint: "ADIF's names are like FREQ or MY_RIG.")
        }
        if name == "SESSION" {
            throw EntryProblem("SESSION is not an ADIF field.", hint: "Name the session with --session.")
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

/// Finds what a mistyped word may have meant.
public enum Spelling {
    /// The one of `words` that differs from `word` by one letter, or by two in a word of six letters or more: a letter
    /// too many, too few, wrong, or two exchanged. `nil` where none does.
    public static func nearest(to word: String, among words: [String]) -> String? {
        let bound = word.count >= 6 ? 2 : 1
        let distances = words.map { (word: $0, distance: distance(Array(word.utf8), Array($0.utf8))) }
        return distances.filter { $0.distance <= bound }.min { $0.distance < $1.distance }?.word
    }

    // Optimal string alignment: Levenshtein's distance with exchanged neighbours as one step.
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
