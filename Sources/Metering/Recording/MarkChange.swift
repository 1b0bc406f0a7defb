/// A change of the marks before one row: a new mark, or another count of one that is there.
package struct MarkChange: Hashable, Sendable {
    /// The number of the row after the mark.
    package var row: UInt64
    /// The kind of the mark.
    package var kind: Mark.Kind
    /// The number that is added to its count. A mark whose count becomes 0 goes away.
    package var change: Int64

    /// Creates a change.
    package init(_ kind: Mark.Kind, before row: UInt64, by change: Int64) {
        (self.row, self.kind, self.change) = (row, kind, change)
    }
}

extension TraceRows {
    /// Makes a change of the marks before one of these rows, or behind the last one.
    ///
    /// - Returns: Whether the row is one of these. If not, nothing was changed.
    package mutating func make(_ change: MarkChange) -> Bool {
        guard change.row >= first, change.row - first <= UInt64(count) else { return false }
        let row = Int(change.row - first)
        let behind = marks.lastIndex { $0.row <= row }.map { $0 + 1 } ?? 0
        let same = marks[..<behind].lastIndex { $0.row < row || $0.kind == change.kind }
        if let same, marks[same].row == row {
            let count = marks[same].count &+ UInt64(bitPattern: change.change)
            marks[same] = Mark(change.kind, before: row, count: count)
            if count == 0 { marks.remove(at: same) }
        } else if change.change > 0 {
            marks.insert(Mark(change.kind, before: row, count: UInt64(change.change)), at: behind)
        }
        return true
    }
}
