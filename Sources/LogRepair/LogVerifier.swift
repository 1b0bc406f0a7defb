import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveMDBPages

/// Verifies that a log file has all its events, each as it was written, and that the rows that lead to them are right.
///
/// It reads the file itself, page by page, and never through liblmdb, which has no checksums, returns altered bytes as
/// valid, and ends the process on many damaged pages. Nothing is written, locked or mapped. The result is a report,
/// whatever the file contains.
///
/// **What is checked.** Every page on the way to a row: its number, kind, bounds, entries, order of keys, and that no
/// page is used twice or both used and free. Every event: structure and checksum, the chain from the previous event,
/// its place among the positions of the log and the numbers of its replica, its batch and stamp. The rows about events
/// (heads, runs, trees, state) are compared with the events themselves.
///
/// Every other row: its checksum.
///
/// **What cannot be detected.** A last commit that vanished completely, including its meta page, looks like one that
/// was never made; only a peer or a backup can show that it existed.
///
/// **While other processes append.** The newest state is determined once and read to the end. LMDB overwrites pages of
/// that state from the third commit after it on, and only pages that those commits replaced. In a log these are few:
/// the right edges of the tables, and the small tables. They are read first, within about a millisecond; the pages of
/// all other events are never replaced. If damage is found and the log has advanced that far, the damage may be a
/// reused page, and everything is read again from a newer state, up to five times. Real damage is found again.
public enum LogVerifier {
    /// How often a log that is being written to is read before damage is reported.
    static let attemptLimit = 5

    /// Verifies the log at `path`, on all cores.
    ///
    /// The report is the same however many cores there are.
    ///
    /// - Throws: ``PageFileError`` if the file cannot be opened. Damage to its content is in the report.
    /// - Complexity: O(bytes of the file), read once, or up to twice if a page is damaged; about 1.1 us an event on one
    ///   core, 0.6 us on two. Memory: some bytes per block of 256 events, a bit per page, some megabytes per core.
    public static func verify(path: String) throws -> LogReport {
        try verify(path: path, cores: coreCount())
    }

    /// Verifies the log at `path` on `cores` cores, which process `leafCount` leaf pages of events at a time.
    static func verify(path: String, cores: Int, leafCount: Int = 64) throws -> LogReport {
        var report = LogReport()
        for _ in 1...attemptLimit {
            let hasMovedOn: Bool
            (report, hasMovedOn) = try attempt(path, cores: cores, leafCount: leafCount)
            if report.ok || !hasMovedOn { return report }
        }
        report.isSettled = false
        report.damage.append(
            LogDamage(
                .file, "the log changed each time it was read: stop the programs that write to it, and verify again"))
        return report
    }

    /// Reads the log once; also returns whether pages may have been reused since.
    private static func attempt(
        _ path: String, cores: Int, leafCount: Int
    ) throws -> (LogReport, hasMovedOn: Bool) {
        let file = try PageFile(path)
        let metaPages = MetaPage.both(of: file)
        let damage = damage(of: metaPages, byteCount: try file.byteCount())
        let states = metaPages.compactMap { $0 }.sorted { $0.transaction > $1.transaction }
        var report = LogReport()
        var hasMovedOn = false
        // The previous state stays intact until two commits later: it is a second way to the events.
        for (index, meta) in states.enumerated() {
            var reading = LogReading(try PageReader(file, meta: meta), cores: cores, leafCount: leafCount)
            let found = reading.report()
            if index == 0 || reading.hasEvents {
                let before = report.damage
                report = found
                report.damage = before + report.damage
            }
            if reading.hasEvents, index > 0 || reading.isDoubtful || damage.contains(where: { $0.what == .meta }) {
                reading.addLaterEvents(to: &report, of: file)
            }
            let newest = reading.newestTransaction() ?? meta.transaction
            // The number comes from the file, so adding to it could overflow.
            hasMovedOn = hasMovedOn || newest > meta.transaction && newest - meta.transaction > 1
            if reading.hasEvents { break }
        }
        report.damage += damage
        return (report, hasMovedOn)
    }

    /// Returns the damage of the meta pages, and a mismatch between them and the length of the file.
    private static func damage(of pages: [MetaPage?], byteCount: Int) -> [LogDamage] {
        guard byteCount > 0 else { return [LogDamage(.file, "the file is empty")] }
        var damage: [LogDamage] = []
        switch (pages[0], pages[1]) {
        case (nil, nil):
            damage.append(
                LogDamage(.meta, "both meta pages are damaged, or this is not a log: nothing refers to the events"))
        case (nil, _), (_, nil):
            let name = pages[0] == nil ? "first" : "second"
            damage.append(LogDamage(.meta, "the \(name) meta page is damaged; the last commit may be lost with it"))
        case (let first?, let second?):
            // Transactions alternate between the pages, so their numbers differ by 1; only a new file has 0 twice.
            let isNew = first.transaction == 0 && second.transaction <= 1
            let (low, high) = (min(first.transaction, second.transaction), max(first.transaction, second.transaction))
            if !isNew, high - low != 1 || first.transaction % 2 != 0 {
                damage.append(
                    LogDamage(
                        .meta,
                        "the meta pages are of transactions \(first.transaction) and \(second.transaction), "
                            + "which is impossible; the last commits may be lost"))
            }
        }
        if let newest = pages.compactMap({ $0 }).max(by: { $0.transaction < $1.transaction }) {
            let pageCount = UInt64(byteCount / newest.pageSize)
            if newest.lastPage >= pageCount {
                damage.append(
                    LogDamage(
                        .file, "the file has \(pageCount) whole pages, but the log uses page \(newest.lastPage)"))
            }
        }
        return damage
    }
}
