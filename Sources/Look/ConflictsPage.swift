import GroundwaveAuditing
import GroundwaveEvents
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveStore
import GroundwaveWording

/// What several devices have written at once, with all candidates.
enum ConflictsPage {
    private static let recordLimit = 100

    static func answer(_ visit: Visit) throws -> PageResponse {
        var names = RecordNames(visit.reading)
        let conflicts = try visit.reading.conflicts()
        let contradictions = try visit.reading.contradictions()
        func list(_ records: [Record]) throws -> HTML {
            let sections = try records.prefix(recordLimit).map { record -> HTML in
                """
                <section><h2>\(visit.link(try names.name(record.kind, record.id), Visit.address(ofRecord: record.kind, record.id)))</h2>
                \(try section(visit, record, heading: false))</section>
                """
            }
            let more: HTML =
                records.count > recordLimit
                ? "<p>And \(Visit.grouped(records.count - recordLimit)) more records.</p>" : ""
            return sections.joined() + more
        }
        let content: HTML = """
            <p class="sum" data-total="\(conflicts.count)">\(Visit.count(conflicts.count, "record")) with a conflict: \
            several devices wrote at once, and nobody has chosen.</p>
            \(try list(conflicts))
            <p><b>Files that contradict what is shown</b></p>
            <p class="sum">\(Visit.count(contradictions.count, "record")). Nobody has to decide, but there may be a mistake.</p>
            \(try list(contradictions))
            """
        return PageFrame.page("Conflicts", content, visit)
    }

    /// The conflicts of one record; nothing if there are none.
    static func section(_ visit: Visit, _ record: Record, heading: Bool = true) throws -> HTML {
        let conflicts = try visit.reading.conflicts(in: record)
        let contradictions = try visit.reading.contradictions(in: record)
        guard !conflicts.isEmpty || !contradictions.isEmpty else { return "" }
        let devices = try visit.reading.deviceNames()
        let tables =
            conflicts.map { table($0, "Conflict", visit, devices) }
            + contradictions.map { table($0, "Contradiction", visit, devices) }
        return heading ? "<h2>Conflicts</h2>\n\(tables)" : tables.joined()
    }

    private static func table(
        _ conflict: Conflict, _ word: String, _ visit: Visit, _ devices: [ReplicaID: String]
    ) -> HTML {
        let name = conflict.field == Conflict.wholeRecord ? "removed, and edited elsewhere" : conflict.field
        var table = PageTable("\(word): \(name)", ["Value", "Who", "When", "Note", ""])
        for candidate in conflict.candidates {
            let marks: [HTML] = [candidate.isShown ? "shown now " : "", Writing.choice(candidate, of: conflict, visit)]
            table.append([
                HTML(text(candidate, of: conflict)),
                BatchList.who(candidate.note, candidate.head.event.replica, devices),
                Visit.time(candidate.stamp.milliseconds), HTML(RecordText.short(candidate.note.text, 120)),
                marks.joined(),
            ])
        }
        return "<h3>\(word): \(name)</h3>\n\(table.html(none: ""))"
    }

    /// The value of a candidate; of a register, its members.
    static func text(_ candidate: Conflict.Candidate, of conflict: Conflict) -> String {
        guard !conflict.members.isEmpty, let value = candidate.value else {
            return ShownValue.text(candidate.value, limit: 200)
        }
        let register = Register(decoding: value, memberCount: conflict.members.count)
        return zip(conflict.members, register.values).compactMap { name, value in
            value.map { "\(name) \(ShownValue.text($0))" }
        }.joined(separator: ", ")
    }
}
