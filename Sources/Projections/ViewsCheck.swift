import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveMDBPages

extension Views {
    /// Returns a description of the damage of the views at `path`; `nil` if there is none, or if the file does not
    /// exist.
    ///
    /// Checks every page and row without liblmdb, and compares the count and sum of the rows with the checkpoint,
    /// which detects pages of earlier commits. Views that are being written to are read again, a limited number of
    /// times, and not reported as damaged. Writes nothing, and cannot crash on any file.
    ///
    /// - Complexity: O(bytes), read once; read again if something is wrong.
    public static func damage(at path: String) -> String? {
        do { return try PageCheck.everything(of: path) { ViewJudge() } } catch let error as PageFileError
            where error.isMissing
        {
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Whether the views at `path` were built since the machine started. Views of an earlier or unknown boot are not
    /// used, but rebuilt.
    public static func areOfThisBoot(at path: String) -> Bool { ViewsBoot.isPresent(path, Arrival.now().boot) }
}

/// Adds up the rows of the views, and compares the sums with the checkpoint.
private struct ViewJudge: FileJudge {
    private var table = SummedTable.records
    private var tables = 0
    private var sums = TableSums()
    private var checkpoint: Checkpoint?

    mutating func begins(table name: String) -> Bool {
        guard let table = SummedTable(name: name) else { return false }
        self.table = table
        tables += 1
        return true
    }

    mutating func isSound(key: RawSpan, value: RawSpan) -> Bool {
        switch table {
        case .records, .index, .unread, .blocks, .cells, .behind:
            guard (try? CheckedRow.check(key, value)) != nil else { return false }
        case .meta:
            guard let content = try? CheckedRow.open(value.toArray()) else { return false }
            if Checkpoint.key.withSpan({ key.elementsEqual($0) }) {
                checkpoint = Checkpoint(content)
                return true
            }
        }
        guard let mark = RowMark(key: key, row: value) else { return false }
        sums.add(mark, to: table)
        return true
    }

    func verdict() -> String? {
        guard tables == SummedTable.allCases.count else { return "its tables are missing" }
        guard let checkpoint else { return "its checkpoint is missing" }
        return checkpoint.sums.difference(fromFound: sums)
    }
}
