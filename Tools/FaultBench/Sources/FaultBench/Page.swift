import Foundation

/// Docs/Reliability.md: what was run, with what, and the results.
struct Page {
    /// The lanes of this run.
    let rows: [Row]
    /// All lanes, in their order.
    let lanes: [Row]
    let settings: Lane.Settings
    /// The platform, with its versions.
    let about: String
    let date: String
    /// The commit of the engine and the bench; it ends with "with changes" if there are uncommitted changes.
    let commit: String
    /// The former page: rows of lanes that were run at the same commit are kept, and nothing else.
    let former: String

    var text: String {
        """
        # Reliability

        Written by `Tools/faults --write`; do not edit it. All rows are of one commit of the engine and the bench:
        \(commit), on \(about).

        A process writes to a store, and says of each event when the call that wrote it has returned. Then it meets a fault.
        What is left is opened by another process, which compares it with what was said: every acknowledged event is there
        and has the hash that it had, no batch is there in part, `verify` finds nothing, the views are what a new fold of
        the log says, and something can be written afterwards. *Lost* counts events, *wrong* counts statements that are not
        so, *died* counts processes that ended by a signal of their own or did not end. All three must be 0, but for the
        controls. A store that nothing damaged and that waits in recovery is wrong.

        Each other lane has its controls too: some trials that ended well are checked once more against *forgeries*, each of
        which must be found: a witness that promises one event more than was written, one that promises another content of
        an event, a log that was damaged.

        Where what lies on the disk is damaged on purpose, what can be got out of it counts as promised, and recovered + lost
        must be what the bench saw in the log when it was whole. Damage may end one process,
        which is not counted: the next one looks at every page before it trusts any, and must not die.

        | lane | what | runs | events acknowledged | lost | wrong | died | seconds | result | when | again |
        |---|---|---|---|---|---|---|---|---|---|---|
        \(lines)

        What happened in each:

        \(notes)

        | lane | how |
        |---|---|
        | `log-cuts`, `store-cuts` | A library between the program and the C library remembers what was written since the last flush. At one of its steps (a write, a flush, a change of a length or a name) the power goes: each such write is kept, dropped or torn between sectors of 512 bytes, names that were changed since the last flush of their folder may go back. Steps are spread evenly, with more where files are made and replaced. A store lives through several cuts; one check in three is cut too |
        | `unflushed`, `unread` | Controls: the same with `MDB_NOSYNC`, and with a log that is only read afterwards, so that commits whose meta page is lost are not brought back. Were nothing lost here, the cuts would show nothing |
        | `log-failures`, `store-failures` | Each call of a session that reads, writes, flushes, opens or names fails once, and from then on: `EIO`, `ENOSPC`, `EINTR`, a short write. Some failed flushes forget what they were to write, and the power goes soon after |
        | `fleet-cuts` | As `store-cuts`, of a store that syncs with a place where a peer writes and erases, takes bundles, and has another device join on the same disk. After each cut all of them meet, and must say the same |
        | `kills`, `trace-kills` | `kill -9` at a random moment |
        | `pair-kills` | Two processes with one store, of which one rewrites the log now and then; nothing may be refused, and both write as one replica. Both are killed |
        | `flips` | One bit of the log, the views or a snapshot is flipped, three of four times one that is in use. The file is looked at without liblmdb: such a flip is seen, or what is served is the truth. Salvage gives each event as it was written or names it as lost: recovered + lost = appended. Some of the stores are opened and read by other processes, after an unclean end and without one: each answer is the truth or an error, or the store goes into recovery; a process that comes after an error meets none |
        | `pages` | Pages of the log become zeros, noise, another page, or what they were some commits before, or the file is cut: salvage gives every event that was not on such a page and names the others. Some of the stores are read as above. Some go the whole way: recovery, something logged meanwhile, restored from salvage, verified; half of them then meet a peer, and have its digest and nothing missing |
        | `recovery-cuts`, `recovery-failures`, `recovery-kills` | The same damage; the power is cut, a call fails or the process is killed anywhere between the first opening of the damaged store and the one that puts the new log in place. Then it is tried again: everything that could be got out of the file is there, everything that was logged meanwhile, the damaged file byte for byte in `EmergencyBackup`, and nothing half made |
        | `full-disk` | A session on small file systems of many sizes; then there is room again |
        | `ext4`, `ext4-unflushed` | A real kernel: ext4 in an image is shut down without writing its journal, mounted and looked at; in a third of the runs two processes write to the store. And its control |

        Not covered: drives that lie about flushes, macOS, pages of 16 KiB.

        """
    }

    private var lines: String {
        let lines = lines(beginning: { "| `\($0)` |" }) { row in
            let sums = row.sums
            let counts = [sums.runs, sums.acknowledged, sums.lost, sums.wrong, sums.died, Int(row.seconds.rounded())]
            let long = settings.isLong ? " --long" : ""
            let cells =
                ["`\(row.name)`", row.title] + counts.map { $0.formatted(.number.locale(.init(identifier: "en_US"))) }
                + [
                    row.verdict, "\(date), \(commit)",
                    "`Tools/faults\(long) --only \(row.name) --seed \(settings.seed)`",
                ]
            return "| \(cells.joined(separator: " | ")) |"
        }
        return lanes.map { lane in
            lines[lane.name] ?? "| `\(lane.name)` | \(lane.title) |  |  |  |  |  |  | not run at this commit |  |  |"
        }.joined(separator: "\n")
    }

    private var notes: String {
        let lines = lines(beginning: { "- `\($0)`: " }) { row in
            row.sums.notes.isEmpty ? nil : "- `\(row.name)`: \(row.sums.notes.joined(separator: "; "))"
        }
        return lanes.compactMap { lines[$0.name] }.joined(separator: "\n")
    }

    /// The lanes whose row in the former page is of this very commit.
    private var kept: Set<String> {
        guard !commit.hasSuffix("with changes") else { return [] }
        let names = lanes.map(\.name).filter { name in
            former.split(separator: "\n").contains { $0.hasPrefix("| `\(name)` |") && $0.contains(", \(commit) | ") }
        }
        return Set(names)
    }

    /// The row of each lane that was run now, or earlier at this commit.
    private func lines(beginning prefix: (String) -> String, _ line: (Row) -> String?) -> [String: String] {
        var lines: [String: String] = [:]
        for name in kept {
            lines[name] = former.split(separator: "\n").first { $0.hasPrefix(prefix(name)) }.map(String.init)
        }
        for row in rows { lines[row.name] = line(row) }
        return lines
    }
}
