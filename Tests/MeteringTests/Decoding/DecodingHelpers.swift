import Foundation
import GroundwaveByteCoding
import Testing

@testable import GroundwaveMeterProtocols
@testable import GroundwaveMetering

/// Captures of real meters, in a folder beside the project that is not part of it.
enum Captures {
    static let folder: URL? = {
        var place = URL(filePath: #filePath).deletingLastPathComponent()
        while place.path != "/" {
            let folder = place.appending(path: "shared/meter")
            if FileManager.default.fileExists(atPath: folder.appending(path: "SOURCES.md").path) { return folder }
            place.deleteLastPathComponent()
        }
        return nil
    }()

    static let reason = "No folder above this one has shared/meter, where the captures are."

    static func text(_ name: String) throws -> String {
        try String(contentsOf: #require(folder).appending(path: name), encoding: .utf8)
    }

    static func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: #require(folder).appending(path: name)))
    }

    /// The lines of a file of hexadecimal frames.
    static func frames(_ name: String) throws -> [[UInt8]] {
        try text(name).split(separator: "\n").map { try #require(Hexadecimal.decode(String($0))) }
    }

    /// The lines of a CSV file behind its first, as columns.
    static func table(_ name: String) throws -> [[Substring]] {
        try text(name).split(separator: "\n").dropFirst().map { $0.split(separator: ",") }
    }
}

extension MeterDecoder {
    /// What `bytes` give in pieces of these lengths, the rest at once, and nothing behind them.
    mutating func rows(of bytes: [UInt8], cutAt lengths: [Int] = []) -> DecodedRows {
        var rows = DecodedRows()
        var offset = 0
        for length in lengths + [bytes.count] where offset < bytes.count {
            let end = min(offset + max(length, 1), bytes.count)
            consume(bytes.span.bytes.extracting(offset..<end), into: &rows)
            offset = end
        }
        finish(into: &rows)
        return rows
    }

    /// Takes all of `bytes` and waits for more.
    mutating func consume(_ bytes: [UInt8], into rows: inout DecodedRows) { consume(bytes.span.bytes, into: &rows) }
}

extension MeterModel {
    /// What `bytes` give to a new decoder.
    func rows(of bytes: [UInt8], over link: Link? = nil) -> DecodedRows {
        var decoder = makeDecoder(over: link)
        return decoder.rows(of: bytes)
    }
}

extension DecodedRows {
    /// All rows, of whatever layout.
    var all: [[Int64]] { runs.flatMap { run in (0..<run.count).map { Array(run.row($0)) } } }

    var ticks: [UInt32] { runs.flatMap(\.ticks) }

    var refusedByteCount: Int { refusals.reduce(0) { $0 + $1.byteCount } }

    /// The values of the channel `name`, of all runs that have it.
    func values(of name: String) -> [Int64] {
        runs.flatMap { run in
            guard let index = run.layout.channels.firstIndex(where: { $0.name == name }) else { return [Int64]() }
            return (0..<run.count).map { run.row($0)[run.row($0).startIndex + index] }
        }
    }
}

extension DecodedRows.Refusal {
    init(_ reason: Reason, _ byteCount: Int) { self.init(reason: reason, byteCount: byteCount) }
}
