import GroundwaveAuditing
import GroundwaveEvents
import GroundwaveStore
import GroundwaveWording

/// One batch: what was written at once, event by event, with the batches beside it.
enum BatchPage {
    private static let entryLimit = 100

    static func answer(_ visit: Visit, _ replica: String, _ sequence: String) throws -> PageResponse {
        let reading = visit.reading
        let audit = try reading.audit.knowingClocks()
        guard let replica = ReplicaID(text: replica), let sequence = SequenceNumber(sequence),
            let position = try reading.describing({ try audit.log.position(of: EventID(replica, sequence)) }),
            let rest = try reading.describing({ try audit.log.withEvent(at: position, { frame, _ in frame.rest }) }),
            let batch = try reading.describing({ try Batch(closing: position + UInt64(rest), in: audit.log) })
        else { throw Refusal(404, "There is no such event here.") }
        let devices = try reading.deviceNames()
        var names = RecordNames(reading)
        var table = PageTable("Changes of the batch", ["Record", "Change", "Event"])
        let first = visit.address.value("page").flatMap { Int($0) }.map { max(0, min($0, 1000) - 1) * entryLimit } ?? 0
        let shown =
            batch.position + UInt64(first)..<batch.position + UInt64(max(first, min(batch.count, first + entryLimit)))
        var entries: [AuditEntry] = []
        for place in shown {
            guard let entry = try reading.describing({ try audit.entry(at: place) }) else { continue }
            entries.append(entry)
            let lines = ChangeText.lines(of: entry, isFull: true)
            table.append([
                visit.link(try names.name(entry.kind, entry.record), Visit.address(ofRecord: entry.kind, entry.record)),
                lines.isEmpty
                    ? "said again what was known"
                    : lines.map { HTML(RecordText.short($0, 300)) }.joined(separator: "<br>"),
                "<code>\(entry.event.short)</code>",
            ])
        }
        let content: HTML = """
            \(try steps(visit, batch))
            \(try facts(visit, batch, entries.first, devices))
            \(Writing.link("Revert this batch", visit, "revert", [("event", "\(batch.last)"), ("whole", "1")]))
            \(table.html(none: "These events do not count at this moment, or add to a trace."))
            \(more(visit, batch, first))
            """
        return PageFrame.page("Batch of \(Visit.count(batch.count, "event"))", content, visit)
    }

    private static func facts(
        _ visit: Visit, _ batch: Batch, _ entry: AuditEntry?, _ devices: [ReplicaID: String]
    ) throws -> HTML {
        let device = devices[batch.first.replica] ?? batch.first.replica.short
        let counted = entry?.counted ?? batch.stamp
        var rows: [(HTML, HTML)] = [
            ("When", Visit.time(counted.milliseconds)), ("Device", HTML(device)),
        ]
        if let entry {
            if !entry.note.author.isEmpty { rows.append(("Author", HTML(entry.note.author))) }
            let note = BatchList.note(entry)
            if !note.isEmpty { rows.append(("Note", HTML(lines: note))) }
        }
        rows.append(
            ("Events", "<code>\(batch.first)</code> to <code>\(batch.last.sequence)</code>, here at @\(batch.position)")
        )
        return factList(rows)
    }

    /// Names and values, one below the other.
    static func factList(_ rows: [(HTML, HTML)]) -> HTML {
        "<dl class=\"facts\">\(rows.map { name, value -> HTML in "<div><dt>\(name)</dt><dd>\(value)</dd></div>\n" })</dl>\n"
    }

    /// The batches before and after it, by their arrival here, and the moments before and after it.
    private static func steps(_ visit: Visit, _ batch: Batch) throws -> HTML {
        let log = visit.store.log
        let (before, after) = try visit.store.describing {
            (
                batch.position > 1 ? try Batch(closing: batch.position - 1, in: log) : nil,
                try log.withEvent(at: batch.position + UInt64(batch.count)) { frame, _ in frame.id }
            )
        }
        func step(_ name: HTML, _ event: EventID?, _ direction: HTML) -> HTML {
            guard let event else { return "<span class=\"none\">\(name)</span> " }
            let there = Visit.address(ofBatch: event).keeping(["zoom", "by"], of: visit.address)
            // Who steps through the past goes on in it.
            let address = visit.moment.isPresent ? there : there.with("at", "after:\(event)")
            return "<a rel=\"\(direction)\" href=\"\(address)\">\(name)</a> "
        }
        let here = visit.address.without("at", "page")
        return """
            <p class="pages">\(step("Previous batch", before?.last, "prev"))\(step("Next batch", after, "next"))\
            <a href="\(here.with("at", "before:\(batch.first)"))">Everything just before it</a> \
            <a href="\(here.with("at", "after:\(batch.last)"))">Everything just after it</a></p>
            """
    }

    private static func more(_ visit: Visit, _ batch: Batch, _ first: Int) -> HTML {
        guard first + entryLimit < batch.count else { return "" }
        let next = first / entryLimit + 2
        return
            "<p class=\"pages\"><a rel=\"next\" href=\"\(visit.address.with("page", next))\">The next \(entryLimit) events</a></p>"
    }
}
