import Foundation
import Groundwave
import GroundwaveAuditing
import GroundwaveMetering
import GroundwaveMeters
import GroundwaveTraceFiles

/// A CSV file that was read to its end, and can be read once more to be imported.
struct TraceSource {
    /// What it is called in the trace: the last part of its path.
    let name: String
    /// What it contains, if another program has written it.
    let plan: ForeignPlan?
    /// When its recording began: milliseconds since 1970; `nil` if it has no rows.
    let started: Int64?
    /// Whether ``started`` is a guess.
    let isGuessed: Bool
    private let path: String
    /// The time at which the times of the file count from 0.
    private let zero: Int64

    /// Whether groundwave trace export has written the file at `path`, by its first line.
    static func isExport(_ path: String) throws -> Bool {
        let line = try (InputFile(path).read() ?? []).prefix { $0 != 0x0A && $0 != 0x0D }
        let columns = String(decoding: line, as: UTF8.self).split(separator: ",").prefix(4)
        return columns.first == "time" && columns.contains { $0 == ColumnNames.missing }
    }

    /// Reads a file that groundwave trace export has written.
    init(export path: String) throws {
        self.path = path
        (plan, zero, isGuessed) = (nil, 0, false)
        var reading = try TraceReading(export: path)
        name = reading.name
        var started: Int64?
        while let rows = try reading.next() { started = started ?? rows.times.first }
        self.started = started
        let limit = TraceMarker.textLimit
        guard reading.markers.allSatisfy({ (1...limit).contains($0.text.utf8.count) }) else {
            throw StoreError(.damaged, "\(name) describes a moment in more than \(limit) bytes, or in none.")
        }
    }

    /// Reads a file of another program, whose recording began at `start` if it does not say when.
    init(foreign path: String, _ survey: ForeignSurvey, start: String?) throws {
        self.path = path
        let input = try InputFile(path)
        name = input.name
        let plan: ForeignPlan
        do {
            var survey = survey
            while let bytes = try input.read() { try survey.append(bytes) }
            plan = try survey.finish()
        } catch let error as ForeignCSVError {
            throw TraceReading.failure(input.name, error)
        }
        if plan.isDated, start != nil {
            throw StoreError(.usage, "\(name) says when it was recorded.", hint: "Leave out --start.")
        }
        if plan.isDated {
            zero = 0
        } else if let start {
            zero = try TimeArgument(start, now: Int64(Date().timeIntervalSince1970)).startMilliseconds
        } else {
            zero = try Self.changed(path) - plan.lastNanoseconds / 1_000_000
        }
        started = zero + plan.firstNanoseconds / 1_000_000
        isGuessed = !plan.isDated && start == nil
        self.plan = plan
    }

    /// Begins to read its rows.
    func reading() throws -> TraceReading {
        try plan.map { try TraceReading(path, $0, start: zero) } ?? TraceReading(export: path)
    }

    /// When the file was last changed: milliseconds since 1970.
    private static func changed(_ path: String) throws -> Int64 {
        let date = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
        return Int64((date ?? Date()).timeIntervalSince1970 * 1000)
    }
}

/// Reads the rows of a CSV file, some at a time.
struct TraceReading {
    private let input: InputFile
    // One of these reads it.
    private var export: CSVTraceReader?
    private var foreign: ForeignCSVReader?
    private var isAtEnd = false
    private var pieces: ArraySlice<TraceRows> = []

    /// The last part of the path.
    var name: String { input.name }

    /// The markers that were read so far.
    var markers: [TraceExportOptions.Marker] { export?.markers ?? [] }

    /// What was left out so far; `nil` if the file is an export.
    var leftOut: ForeignLeftOut? { foreign?.leftOut }

    /// Begins to read a file that groundwave trace export has written.
    init(export path: String) throws { (input, export) = (try InputFile(path), CSVTraceReader()) }

    /// Begins to read the file that `plan` is of, whose recording began at `start`.
    init(_ path: String, _ plan: ForeignPlan, start: Int64) throws {
        (input, foreign) = (try InputFile(path), ForeignCSVReader(plan, start: start))
    }

    /// Returns the next rows; `nil` at the end.
    mutating func next() throws -> TraceRows? {
        do {
            while true {
                if let rows = pieces.popFirst() { return rows }
                if isAtEnd { return nil }
                let bytes = try input.read()
                isAtEnd = bytes == nil
                pieces = try read(bytes)[...]
            }
        } catch let error as CSVTraceError {
            throw StoreError(
                .damaged, "\(input.name) is not a readable trace: \(error).",
                hint: "Use CSV that groundwave trace export has written.", cause: error)
        } catch let error as ForeignCSVError {
            throw Self.failure(input.name, error)
        }
    }

    /// Reads `bytes`, or the end.
    private mutating func read(_ bytes: [UInt8]?) throws -> [TraceRows] {
        if let bytes { return try export?.append(bytes) ?? foreign?.append(bytes) ?? [] }
        try export?.finish()
        return [try foreign?.finish()].compactMap(\.self)
    }

    /// Says what is wrong with the file `name` of another program.
    static func failure(_ name: String, _ error: ForeignCSVError) -> StoreError {
        StoreError(
            .damaged, "\(name) cannot be imported: \(error).",
            hint: "Say where the values are: --time COLUMN --channel voltage=COLUMN --channel current=COLUMN",
            cause: error)
    }
}
