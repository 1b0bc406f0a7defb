import ByteCoding
import EventLog
import LMDB

extension Views {
    /// What is wrong with the views at `path`, in plain words; `nil` where nothing is, or where they are not there.
    ///
    /// Every page and every row is looked at, without liblmdb, and the rows are counted and summed: what the checkpoint
    /// says of them shows a page that says what it said some commits ago. Views that somebody writes to meanwhile are read
    /// again, some times at most, and not called damaged. Nothing is written, and no file ends the process.
    ///
    /// - Complexity: O(bytes), read once; once more where something is wrong.
    public static func damage(at path: String) -> String? {
        do { return try PageCheck.everything(of: path) { ViewJudge() } } catch let error as PageFileError
            where error.isMissing
        {
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Whether the views at `path` were built since the machine has started: those of an earlier start, or of an unknown one,
    /// are believed by nobody, and built anew.
    public static func areOfThisBoot(at path: String) -> Bool { ViewsBoot.isPresent(path, Arrival.now().boot) }
}

/// Adds up the rows of views, and compares them with what the checkpoint says of them.
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
        case .records, .unread, .blocks, .cells:
            guard (try? CheckedRow.check(key, value)) != nil else { return false }
        case .index:
            guard (try? CheckedRow.checkEntry(key, value)) != nil else { return false }
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
