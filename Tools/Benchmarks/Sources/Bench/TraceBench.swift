import Everything
import Foundation
import Groundwave
import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveMetering
import GroundwaveRecords
import GroundwaveTraceFiles

/// The size of a trace as blocks and in the log, and the speed of encoding and decoding blocks.
enum TraceBench {
    private static let meter = MACAddress("02:00:00:00:00:01")

    /// Records the rows of a CSV file in a new store. Unless it is played once, a short file is repeated until there are
    /// a million rows, so that the blocks are those of a long recording, and a page more or less does not matter. Prints
    /// the bytes per value, summaries included; the ratio of the log's pages to these bytes; and the bytes of the views'
    /// blocks and cells per value.
    static func size(_ path: String, of csv: String, once isOnce: Bool) async throws {
        let rows = try rows(of: csv)
        let store = try await newStore(path)
        guard let meter else { throw Failure("no meter") }
        let roundCount = isOnce ? 1 : max(1, 1_000_000 / rows.count)
        let before = try pages(of: store, "log")
        let recorder = try await store.record(meter: meter, model: .km003c)
        for round in 0..<roundCount {
            // As rows arrive: one second at a time.
            var start = 0
            for row in 1...rows.count where row == rows.count || rows.times[row] >= rows.times[start] + 1000 {
                try await recorder.append(recorded: rows.slice(start..<row, round: round))
                start = row
            }
        }
        try await recorder.finish()
        let used = try pages(of: store, "log") - before
        let pyramid = try pages(of: store, "views", ["blocks", "cells"])
        try store.close()
        let log = try EventLog(opening: store.url.appending(path: "log.mdb").path)
        var (summaries, contents, blocks) = (0, 0, 0)
        try log.scan(from: 1) { _, frame, bytes in
            let (shape, values) = (bytes.extracting(frame.shape), bytes.extracting(frame.values))
            guard var reader = try? ChangeReader(shape: shape, isWithheld: false, by: frame.names(in: bytes)),
                let block = reader.block
            else { return true }
            try reader.skipNote(in: values)
            summaries += block.summary.count
            contents += try reader.blockContent(in: values)?.count ?? 0
            blocks += 1
            return true
        }
        try log.close()
        let bytes = summaries + contents
        let values = rows.count * roundCount * rows.layout.channels.count
        print(
            "engine meter-size \(rows.count) rows \(roundCount) times in \(blocks) blocks: \(text(Double(bytes) / Double(values))) bytes/value,",
            "pages \(text(Double(used) / Double(bytes))), summaries \(text(Double(summaries) / Double(values))),",
            "pyramid \(text(Double(pyramid) / Double(values)))")
    }

    /// Prints values per second, times and counters included, of blocks of 4,096 rows: as the recorder encodes and an
    /// export decodes them.
    static func codec(_ csv: String, rows limit: Int) throws {
        let rows = try rows(of: csv)
        let count = min(limit, rows.count)
        let pieces = stride(from: 0, to: count, by: SampleBlock.rowLimit).map {
            rows.slice($0..<min(count, $0 + SampleBlock.rowLimit))
        }
        let columns = rows.columns.count + (rows.layout.tick == nil ? 1 : 2)
        var blocks: [SealedBlock] = []
        var best = (encode: Double.infinity, decode: Double.infinity)
        for _ in 0..<7 {
            best.encode = min(best.encode, seconds { blocks = pieces.map { SealedBlock($0, after: nil) } })
            var found = 0
            best.decode = try min(
                best.decode,
                seconds {
                    for block in blocks {
                        found += try block.content.withSpan { try TraceRows($0, of: block.summary) }.count
                    }
                })
            guard found == count else { throw Failure("\(found) of \(count) rows came back") }
        }
        let values = Double(count * columns) / 1e6
        print(
            "engine meter-codec \(count) rows: encode \(text(values / best.encode)) decode \(text(values / best.decode))"
        )
    }

    static func newStore(_ path: String) async throws -> Store {
        let folder = URL(filePath: path)
        try? FileManager.default.removeItem(at: folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return try await Store.create(at: folder.appending(path: "store"), configuration(path))
    }

    static func configuration(_ path: String) -> Configuration {
        var configuration = Configuration.full(author: "N0CALL")
        configuration.stateFolder = URL(filePath: path).appending(path: "state")
        return configuration
    }

    private static func rows(of csv: String) throws -> TraceRows {
        var reader = CSVTraceReader()
        guard let rows = try reader.append([UInt8](try Data(contentsOf: URL(filePath: csv)))).first else {
            throw Failure("\(csv) has no rows")
        }
        try reader.finish()
        return rows
    }

    /// The size of the pages of all tables of a file, or of some, in bytes.
    private static func pages(of store: Store, _ file: String, _ tables: [String]? = nil) throws -> Int {
        try store.storage().filter {
            $0.file == file && $0.entries != nil && tables?.contains($0.purpose) ?? true
        }.reduce(0) { $0 + $1.bytes }
    }

    private static func text(_ value: Double) -> String { String(format: "%.4f", value) }
}

extension TraceRows {
    /// Some of the rows, without marks, and with the same numbers; their times are those of repetition `round`.
    fileprivate func slice(_ range: Range<Int>, round: Int = 0) -> TraceRows {
        var slice = TraceRows(layout, first: first + UInt64(range.lowerBound))
        let step = { (values: [Int64]) in Int64(round) * (values[values.count - 1] - values[0] + values[1] - values[0])
        }
        slice.times = times[range].map { $0 + step(times) }
        if layout.tick != nil { slice.ticks = ticks[range].map { $0 + step(ticks) } }
        for column in columns.indices { slice.columns[column] = Array(columns[column][range]) }
        return slice
    }
}
