import ArgumentParser
import Foundation
import Groundwave
import GroundwaveMeterProtocols
import GroundwaveMetering
import GroundwaveTraceFiles

struct TraceImport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import a trace from CSV that groundwave trace export has written.",
        discussion: """
              groundwave trace import charge.csv --meter 00:15:A5:00:11:22 --model um25c

            The imported rows have the same integers and the same times. If a file cannot be read to its end, it is \
            refused with the number of the line, and nothing of it is kept.
            """)

    @Argument(help: ArgumentHelp("The file.", valueName: "file"))
    var file: String

    @Option(help: ArgumentHelp("The address of the meter that was recorded.", valueName: "mac"))
    var meter: String

    @Option(help: ArgumentHelp("The model.", valueName: "model"))
    var model: MeterModel

    @Option(help: ArgumentHelp("The name of the trace.", valueName: "text"))
    var name = ""

    @OptionGroup var options: StoreOptions

    struct Result: Encodable {
        var trace: String
        var rows: UInt64
    }

    func run() async throws {
        let address = try MACAddress(argument: meter)
        // To its end before anything is written: a file that is no trace leaves none.
        var first = try CSVPieces(file)
        while try first.next() != nil {}
        let store = try await options.open()
        let recorder = try await store.record(meter: address, model: model, name: name, source: first.name)
        try await Progress.during("Importing") { _ in
            var pieces = try CSVPieces(file)
            while let rows = try pieces.next() { try await recorder.append(recorded: rows) }
        }
        try await recorder.finish()
        let rows = await recorder.rowCount
        if options.json { return try Terminal.print(json: Result(trace: "\(recorder.trace)", rows: rows)) }
        try Terminal.print("\(NumberText.count(rows, "row")): trace \(recorder.trace.short).")
    }
}

/// The rows of a CSV file, some at a time.
private struct CSVPieces {
    private let input: InputFile
    private var reader = CSVTraceReader()
    private var isAtEnd = false
    private var read: ArraySlice<TraceRows> = []

    var name: String { input.name }

    init(_ path: String) throws {
        guard path != "-" else {
            throw StoreError(
                .usage, "A trace file is read twice, but standard input can be read only once.", hint: "Name a file.")
        }
        input = try InputFile(path)
    }

    mutating func next() throws -> TraceRows? {
        do {
            while true {
                if let rows = read.popFirst() { return rows }
                if isAtEnd { return nil }
                guard let bytes = try input.read() else {
                    isAtEnd = true
                    try reader.finish()
                    return nil
                }
                read = try reader.append(bytes)[...]
            }
        } catch let error as CSVTraceError {
            throw StoreError(
                .damaged, "\(input.name) is not a readable trace: \(error).",
                hint: "Use CSV that groundwave trace export has written.", cause: error)
        }
    }
}

extension MACAddress {
    /// The address that somebody typed.
    init(argument: String) throws {
        guard let address = MACAddress(argument) else {
            throw StoreError(
                .usage, "“\(argument)” is not the address of a meter.",
                hint: "Use twelve hexadecimal digits: 00:15:A5:00:11:22.")
        }
        self = address
    }
}
