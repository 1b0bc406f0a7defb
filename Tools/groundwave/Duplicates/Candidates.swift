import Groundwave
import GroundwaveLogbook
import GroundwaveMetering
import GroundwaveMeters
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveWording

/// The records that a name may mean, as a table.
enum Candidates {
    static func lines(_ name: AmbiguousName) -> [TerminalText] {
        var lines: [TerminalText]
        if name.candidates.first?.kind == QSOKind.name {
            var table = ContactTable()
            name.candidates.forEach { table.append($0) }
            lines = table.lines
        } else if name.candidates.first?.kind == Metering.trace.name {
            var table = TextTable(["ID", "STARTED", "METER", "NAME"])
            for trace in name.candidates.map(Trace.init) {
                table.append([
                    trace.id.short, trace.started.map(TimeText.milliseconds) ?? "?", trace.meter?.description ?? "?",
                    RecordText.short(trace.name, 30),
                ])
            }
            lines = table.lines
        } else {
            var table = TextTable(["ID", "FIELDS"])
            for record in name.candidates {
                let schema = Radio.allKinds.first { $0.name == record.kind }
                let fields = record.texts(schema).prefix(5).map { "\($0.name)=\(RecordText.short($0.value, 30))" }
                table.append([record.id.short, fields.joined(separator: "  ")])
            }
            lines = table.lines
        }
        return name.hasMore ? lines + ["… and more."] : lines
    }
}
