import GroundwaveAuditing
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogbook
import GroundwaveMetering
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveStore
import GroundwaveWording

/// One record: each field with who wrote it and why it shows, what contradicts it, and its history as a thread.
enum RecordPage {
    /// The longest value that is shown in full, in characters; a longer one has a page of its own.
    private static let valueLimit = 2000
    private static let historyLimit = 100

    static func answer(_ visit: Visit, _ kind: String, _ name: String) throws -> PageResponse {
        let (id, record) = try find(visit, kind, name)
        if record.isErased {
            let content: HTML = """
                <p class="erased">This record was erased. Nothing of it is left but that it was there.</p>
                \(try thread(visit, kind, id))
                """
            return PageFrame.page("Erased \(noun(kind)) \(id.short)", content, visit)
        }
        let title = try title(visit, record)
        let content: HTML = """
            \(record.isVisible ? "" : "<p class=\"hidden-record\">This record is hidden: somebody removed it. \(Writing.link("Restore it", visit, "restore", [("kind", kind), ("record", "\(id)")]))</p>" as HTML)
            \(try facts(visit, record))
            \(try fields(visit, record))
            \(try ConflictsPage.section(visit, record))
            \(try thread(visit, kind, id))
            """
        return PageFrame.page(title, content, visit)
    }

    /// The whole value of one field, as a plain text.
    static func value(_ visit: Visit, _ kind: String, _ name: String, _ field: String) throws -> PageResponse {
        let (_, record) = try find(visit, kind, name)
        let schema = try visit.reading.schema(of: kind) ?? KindSchema(name: kind, fields: [])
        let values = schema.values(of: record).filter { $0.name == field }
        guard !values.isEmpty else { throw Refusal(404, "The record has no such field.") }
        return PageResponse(text: values.map { RecordText.text($0.value) }.joined(separator: "\n"))
    }

    /// A record that an address names.
    static func find(_ visit: Visit, _ kind: String, _ name: String) throws -> (RecordID, Record) {
        guard let id = try RecordID(text: name) ?? resolved(visit, kind, name),
            let record = try visit.reading.record(kind, id)
        else { throw Refusal(404, "There is no such \(noun(kind)) at this moment.") }
        return (id, record)
    }

    private static func resolved(_ visit: Visit, _ kind: String, _ name: String) throws -> RecordID? {
        do { return try visit.reading.resolve(name, kind: kind) } catch let error as StoreError
            where [.notFound, .usage].contains(error.code)
        { return nil }
    }

    /// What a record of a kind is called.
    static func noun(_ kind: String) -> String { kind == QSOKind.name ? "contact" : kind }

    private static func title(_ visit: Visit, _ record: Record) throws -> String {
        guard record.kind == QSOKind.name else {
            let name = try visit.reading.schema(of: record.kind)?.value(of: "NAME", in: record).map {
                RecordText.text($0)
            }
            return "\(record.kind) \(RecordText.short(name ?? record.id.short, 60))"
        }
        let facts = ContactFacts(record)
        let call = facts.call.isEmpty ? record.id.short : RecordText.short(facts.call, 60)
        return facts.startSeconds.map { "\(call), \(TimeText.seconds($0))" } ?? call
    }

    private static func facts(_ visit: Visit, _ record: Record) throws -> HTML {
        var rows: [(HTML, HTML)] = [
            ("Record", "<code>\(record.id)</code>"), ("Events", HTML(Visit.grouped(record.eventCount))),
        ]
        if record.kind == QSOKind.name {
            if let session = record.session {
                rows.append(("Session", visit.link(session.short, Visit.address(ofRecord: "session", session))))
            }
            if let way = StationPlace.way(record) {
                let bearing = way.bearing.map { ", bearing \(Int($0.rounded()) % 360)°" } ?? ""
                rows.append(("Distance", "\(Visit.grouped(Int(way.kilometres.rounded()))) km\(bearing)"))
            }
            let proof = Visit.address(ofRecord: record.kind, record.id)
            if visit.moment.isPresent, visit.recovery == nil {
                rows.append(
                    (
                        "Proof",
                        "<a href=\"\(Address(path: proof.path + ["proof"]))\" download>Download</a> what proves that this contact is in the log"
                    ))
            }
        }
        if record.kind == ImportKind.name,
            let last = try visit.store.describing({
                try visit.reading.positions(of: record.kind, record.id).last.flatMap {
                    try visit.store.log.withEvent(at: $0) { frame, _ in frame.id }
                }
            })
        {
            let revert = Writing.link("Revert this import", visit, "revert", [("event", "\(last)")])
            rows.append(("Batch", "\(visit.link("All that it wrote at last", Visit.address(ofBatch: last))) \(revert)"))
        }
        if record.kind == Metering.trace.name {
            rows.append(("Trace", visit.link("Its values over time", Address("trace", "\(record.id)"))))
        }
        return BatchPage.factList(rows)
    }

    // MARK: - Fields

    private static func fields(_ visit: Visit, _ record: Record) throws -> HTML {
        let devices = try visit.reading.deviceNames()
        let reasons = try visit.reading.withholdings(in: record)
        var table = PageTable("Fields", ["Field", "Value", "Who", "When", "Why it shows", "Note", "Instead of"])
        for blame in try visit.reading.blame(record.kind, record.id) {
            let write = blame.winner
            guard write.value != nil || write.withheld != nil || !blame.losers.isEmpty else { continue }
            table.append([
                HTML(blame.field), value(visit, record, blame, reasons), who(write, devices),
                Visit.time(write.counted.milliseconds), HTML(words(blame.reason)),
                HTML(
                    RecordText.short(
                        ClockText.note(
                            ShownValue.note(write.note, write.noteWithheld), write.counted, insteadOf: write.stamp), 120
                    )),
                blame.losers.map { loser -> HTML in
                    "\(ShownValue.text(loser.value, loser.withheld)) <small>(\(who(loser, devices)))</small>"
                }.joined(separator: ", "),
            ])
        }
        return "<h2>Fields</h2>\n\(table.html(none: "It has no fields at this moment."))"
    }

    private static func value(
        _ visit: Visit, _ record: Record, _ blame: Blame, _ reasons: [String: Withholding]
    ) -> HTML {
        guard let bytes = blame.winner.value else {
            guard let withheld = blame.winner.withheld ?? reasons[blame.field] else {
                return "<span class=\"none\">cleared</span>"
            }
            return "<span class=\"none\">\(withheld.rawValue)</span>"
        }
        let text = RecordText.text(bytes)
        guard text.utf8.count > valueLimit else { return HTML(lines: text) }
        let whole = Address(path: Visit.address(ofRecord: record.kind, record.id).path + ["value", blame.field])
        return """
            \(HTML(lines: String(text.prefix(valueLimit))))… \
            <a href="\(visit.link(whole))">all of it, \(Visit.count(bytes.count, "byte"))</a>
            """
    }

    private static func who(_ write: Blame.Write, _ devices: [ReplicaID: String]) -> HTML {
        BatchList.who(write.note, write.event.replica, devices)
    }

    /// Why a value shows, as a person says it.
    static func words(_ reason: Blame.Reason) -> String {
        switch reason {
        case .only: "the only value"
        case .causal: "its author had seen the one before"
        case .chosen: "chosen among several"
        case .stamp: "the latest of several written at once"
        case .tie: "first in the order of devices, at the same time"
        case .hand: "by hand, which goes before files"
        case .trusted: "of a source that is trusted"
        case .finest: "the most exact that any file says"
        case .first: "said first, of files that contradict"
        }
    }

    // MARK: - History

    /// The events of the record, newest first, as a list.
    private static func thread(_ visit: Visit, _ kind: String, _ id: RecordID) throws -> HTML {
        var query = HistoryQuery(of: kind, id)
        query.limit = historyLimit + 1
        let devices = try visit.reading.deviceNames()
        let entries = try visit.reading.history(query)
        let items = entries.prefix(historyLimit).map { entry -> HTML in
            let lines = ChangeText.lines(of: entry, isFull: true)
            let changes =
                lines.isEmpty
                ? "<li class=\"none\">said again what was known</li>"
                : lines.map { "<li>\(RecordText.short($0, 400))</li>" as HTML }.joined()
            let note = BatchList.note(entry)
            let words: HTML = note.isEmpty ? "" : " <q>\(RecordText.short(note, 400))</q>"
            let before = visit.address.without("at").with("at", "before:\(entry.event)")
            let after = visit.address.without("at").with("at", "after:\(entry.event)")
            return """
                <li><p><a href="\(visit.link(Visit.address(ofBatch: entry.event)))">\(Visit.time(entry.counted.milliseconds))</a> \
                \(BatchList.who(entry, devices))\(words)</p>
                <ul>\(changes)</ul>
                <p class="then"><a href="\(before)">Just before</a> <a href="\(after)">Just after</a></p></li>

                """
        }
        let more: HTML =
            entries.count > historyLimit
            ? "<p>Older events of this record are in <code>groundwave history \(id.short)</code>.</p>" : ""
        return "<h2>History</h2>\n<ol class=\"thread\" reversed>\(items)</ol>\(more)\n"
    }
}
