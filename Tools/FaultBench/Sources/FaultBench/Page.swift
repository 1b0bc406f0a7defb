import Foundation

/// Docs/Reliability.md: what was run, with what, and what came of it.
struct Page {
    /// The lanes of this run.
    let rows: [Row]
    /// All lanes, in their order.
    let names: [String]
    let settings: Lane.Settings
    /// What is underneath, with its versions.
    let about: String
    /// The date and the commit.
    let when: String
    /// The page as it was: what it says of lanes that were not run now stays.
    let former: String

    var text: String {
        """
        # Reliability

        Written by `Tools/faults --write`, lane by lane; do not edit it.

        On \(about).

        A process writes to a store, and says of each event when the call that wrote it has returned. Then it meets a fault.
        What is left is opened by another process, which compares it with what was said: every acknowledged event is there
        and has the hash that it had, no batch is there in part, `verify` finds nothing, the views are what a new fold of
        the log says, and something can be written afterwards. *Lost* counts events, *wrong* counts statements that are not
        so, *died* counts processes that ended by a signal of their own or did not end. All three must be 0, but for the
        controls.

        Where what lies on the disk is damaged, what can be got out of it counts as promised. Damage may end one process,
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
        | `kills` | `kill -9` at a random moment |
        | `flips` | One bit of the log, the views or a snapshot is flipped, three of four times one that is in use. The file is looked at without liblmdb: such a flip is seen, or what is served is the truth. Salvage gives each event as it was written or names it as lost: recovered + lost = appended. Some of the stores are opened and read by other processes, after an unclean end and without one: each answer is the truth or an error, or the store goes into recovery |
        | `pages` | Pages of the log become zeros, noise, another page, or what they were some commits before, or the file is cut: salvage gives every event that was not on such a page and names the others. Some of the stores are read as above. Some go the whole way: recovery, something logged meanwhile, restored from salvage, verified; half of them then meet a peer, and have its digest and nothing missing |
        | `recovery-cuts`, `recovery-failures`, `recovery-kills` | The same damage; the power is cut, a call fails or the process is killed anywhere between the first opening of the damaged store and the one that puts the new log in place. Then it is tried again: everything that could be got out of the file is there, everything that was logged meanwhile, the damaged file byte for byte in `EmergencyBackup`, and nothing half made |
        | `full-disk` | A session on small file systems of many sizes; then there is room again |
        | `ext4`, `ext4-unflushed` | A real kernel: ext4 in an image is shut down without writing its journal, mounted and looked at. And its control |

        Not covered: drives that lie about flushes, macOS, pages of 16 KiB.

        """
    }

    private var lines: String {
        lines(beginning: { "| `\($0)` |" }) { row in
            let sums = row.sums
            let counts = [sums.runs, sums.acknowledged, sums.lost, sums.wrong, sums.died, Int(row.seconds.rounded())]
            let long = settings.isLong ? " --long" : ""
            let cells =
                ["`\(row.name)`", row.title] + counts.map { $0.formatted(.number.locale(.init(identifier: "en_US"))) }
                + [row.verdict, when, "`Tools/faults\(long) --only \(row.name) --seed \(settings.seed)`"]
            return "| \(cells.joined(separator: " | ")) |"
        }
    }

    private var notes: String {
        lines(beginning: { "- `\($0)`: " }) { row in
            row.sums.notes.isEmpty ? nil : "- `\(row.name)`: \(row.sums.notes.joined(separator: "; "))"
        }
    }

    /// A line of each lane: of those that were run a new one, of others the one that there was.
    private func lines(beginning prefix: (String) -> String, _ line: (Row) -> String?) -> String {
        names.compactMap { name in
            if let row = rows.first(where: { $0.name == name }) { return line(row) }
            return former.split(separator: "\n").first { $0.hasPrefix(prefix(name)) }.map(String.init)
        }.joined(separator: "\n")
    }
}
