import Foundation
import GroundwaveEvents
import GroundwaveLogbook
import GroundwaveRecovering
import GroundwaveStore
import GroundwaveWording

/// The files of the store, what they cost, whether they are whole, and what was recovered.
enum FilesPage {
    static func answer(_ visit: Visit) throws -> PageResponse {
        var table = PageTable("Storage", ["File", "What for", .number("Entries"), .number("Size")])
        for row in try visit.store.storage() {
            table.append([
                HTML(row.file), HTML(row.purpose), row.entries.map { HTML(Visit.grouped($0)) } ?? "",
                HTML(NumberText.bytes(row.bytes)),
            ])
        }
        var snapshots = PageTable("Snapshots", ["Taken", .number("Records"), .number("Size")])
        for snapshot in visit.store.snapshots() {
            guard let information = snapshot.information else { continue }
            snapshots.append([
                Visit.time(information.created), HTML(Visit.grouped(information.recordCount)),
                HTML(NumberText.bytes(information.byteCount)),
            ])
        }
        let content: HTML = """
            <p class="pages">\(visit.link("Verify the store", Address("verify")))</p>
            \(table.html(none: ""))
            <h2>Snapshots</h2>
            \(snapshots.html(none: "There are none yet."))
            \(try recovery(visit))
            """
        return PageFrame.page("Files", content, visit)
    }

    // MARK: - Recovery

    private static func recovery(_ visit: Visit) throws -> HTML {
        let status =
            try visit.recovery == nil
            ? visit.store.recoveryStatus()
            : Store.recoveryStatus(at: visit.recoveredFolder, stateFolder: visit.store.stateFolder)
        var parts: HTML = "<h2 id=\"recovery\">Recovery</h2>\n<p>\(words(status))</p>\n"
        if let receipt = status.receipt {
            parts += receiptFacts(receipt, status.lost)
            parts += try ribbons(visit, receipt, status)
        }
        return parts
    }

    private static func words(_ status: RecoveryStatus) -> HTML {
        switch status.state {
        case .whole: return "The store was never damaged, as far as is known."
        case .recovered: return "The store was damaged once, and was recovered."
        case .damaged: return "The log is damaged: \(status.failure?.message ?? "")."
        case .waiting:
            return """
                The log is damaged: \(status.failure?.message ?? ""). It waits for a decision: \
                <code>groundwave recover restore --from salvage</code>, <code>--from snapshot</code> or <code>--from remote</code>.
                """
        case .staged: return "A decision was taken; the next program that opens the store carries it out."
        }
    }

    private static func receiptFacts(_ receipt: RecoveryReceipt, _ lost: [EventRange]) -> HTML {
        let still = lost.reduce(0) { $0 + $1.count }
        let least: HTML = receipt.isAtLeast ? "at least " : ""
        return BatchPage.factList([
            ("Recovered", HTML(Visit.count(receipt.recovered, "event"))),
            ("Of", "\(least)\(Visit.count(receipt.appended, "event"))"),
            ("Lost then", HTML(Visit.count(receipt.lostCount, "event"))),
            ("Still lost", "\(Visit.count(still, "event"))"),
            ("When", Visit.time(Int64(receipt.at.timeIntervalSince1970 * 1000))),
            ("Known from", HTML(receipt.witnesses.joined(separator: ", "))),
        ])
    }

    /// The log of each device as a ribbon: what is there, what came back, and the holes; and the same as a table.
    private static func ribbons(_ visit: Visit, _ receipt: RecoveryReceipt, _ status: RecoveryStatus) throws -> HTML {
        let names = try visit.store.deviceNames()
        let still = EventSet(status.lost)
        let back = EventSet(receipt.lost).subtracting(still)
        var table = PageTable("Holes", ["Device", "Events", "State", "Who has them"])
        var pictures = HTML()
        let holes = still.ranges.map { (range: $0, isBack: false) } + back.ranges.map { (range: $0, isBack: true) }
        for (replica, holes) in Dictionary(grouping: holes, by: \.range.replica).sorted(by: { $0.key < $1.key }) {
            let name = names[replica] ?? replica.short
            let here = try visit.store.describing { try visit.store.log.vector() }[replica]
            let last = max(here, holes.map(\.range.last).max() ?? 1)
            var rects = HTML()
            for (range, isBack) in holes.sorted(by: { $0.range.first < $1.range.first }) {
                let (x, width) = (Int((range.first - 1) * 1000 / last), max(4, Int(range.count * 1000 / last)))
                let state: HTML = isBack ? "came back" : "lost"
                let kind: HTML = isBack ? "back" : "hole"
                rects += """
                    <rect class="\(kind)" x="\(x)" y="0" width="\(width)" height="20"><title>events \(range.first) to \
                    \(range.last): \(state)</title></rect>
                    """
                let peers =
                    isBack
                    ? []
                    : status.peers.filter { EventSet([$0.key]).intersection(EventSet([range])).count > 0 }
                        .flatMap(\.value)
                table.append([
                    HTML(name), "\(range.first) to \(range.last)", state,
                    HTML(Set(peers.map { names[$0] ?? $0.short }).sorted().joined(separator: ", ")),
                ])
            }
            pictures += """
                <figure><figcaption>\(name): events 1 to \(last)</figcaption>\
                <svg class="ribbon" viewBox="0 0 1000 20" preserveAspectRatio="none" role="img" \
                aria-label="The log of \(name) and its holes; they are listed below">\
                <rect class="have" x="0" y="0" width="1000" height="20"/>\(rects)</svg></figure>

                """
        }
        return pictures + table.html(none: "Nothing was lost.")
    }
}
