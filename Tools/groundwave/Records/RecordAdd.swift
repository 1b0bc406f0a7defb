import ArgumentParser
import Groundwave
import GroundwaveEvents
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveWording

struct RecordAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a record.",
        discussion: """
            An activation is identified by its park and date, a receiver by its host, a notes source by its URL. \
            Adding a record that already exists sets its fields.

              groundwave record add equipment NAME="Portable" RIG=KX2 POWER=5
              groundwave record add activation PARK=US-1234 DATE=2026-05-01 TITLE="Lake"
            """)

    @Argument(help: ArgumentHelp("The kind: groundwave record kinds lists them.", valueName: "kind"))
    var kind: String

    @Argument(help: ArgumentHelp("The fields of the record.", valueName: "field=value"))
    var fields: [String] = []

    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions

    struct Result: Encodable {
        var id: String
        var event: String?
        var position: UInt64?
        var wasThere: Bool
    }

    func run() async throws {
        let arguments = try FieldArguments(fields)
        if let name = arguments.names.first { throw StoreError(.usage, "“\(name)” is not FIELD=VALUE.") }
        let store = try await options.open(author: writing.author)
        let assignments = try RecordFields.resolved(arguments.assignments, kind: kind, store)
        let kind = kind
        let written = try await store.write(note: writing.note ?? "", author: writing.author) { batch in
            try batch.addNaturally(kind, assignments)
        }
        let record = written.value
        if options.json {
            return try Terminal.print(
                json: Result(
                    id: "\(record.id)", event: written.batch.map { "\($0.first)" }, position: written.batch?.position,
                    wasThere: record.wasThere))
        }
        for remark in record.remarks { Terminal.remark("\(remark)") }
        let state =
            !record.wasThere
            ? "was added"
            : written.batch == nil
                ? "already exists"
                : "already existed, and was changed"
        try Terminal.print("The \(kind) \(record.id.short) \(state).")
    }
}

/// Fields that name other records.
enum RecordFields {
    /// `assignments` with contacts and sessions by their whole ids.
    static func resolved(_ assignments: [Assignment], kind: String, _ store: any Reading) throws -> [Assignment] {
        let references = ["servicePresence": ["QSO": "qso"], "spot": ["SESSION": "session"]][kind] ?? [:]
        return try assignments.map { assignment in
            guard let target = references[assignment.name], let value = assignment.value else { return assignment }
            let name = String(decoding: value, as: UTF8.self)
            let id = target == "session" ? try SessionName.resolve(name, store) : try store.resolve(name, kind: target)
            return Assignment(assignment.name, text: "\(id)")
        }
    }
}
