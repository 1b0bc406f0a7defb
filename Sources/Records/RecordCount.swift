#if COUNTS_RECORDS
import Synchronization

/// The number of records that a task has made: compiled in for the suites only, which test that walks make none.
package final class RecordCount: Sendable {
    /// The count of this task, if its records are counted.
    @TaskLocal package static var current: RecordCount?

    private let count = Atomic(0)

    /// Nothing is counted yet.
    package init() {}

    /// The records made so far.
    package var value: Int { count.load(ordering: .relaxed) }

    func increment() { count.add(1, ordering: .relaxed) }
}
#endif
