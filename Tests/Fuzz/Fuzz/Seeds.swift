import Foundation
import GroundwaveADIF
import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveMetering
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveSeededNumbers

@testable import GroundwaveEventLog
@testable import GroundwaveLogFormat
@testable import GroundwavePeering
@testable import GroundwaveProjections
@testable import GroundwaveReplication
@testable import GroundwaveTraceFiles

/// The first inputs of the targets: small ones of real bytes, out of stores that are made for it.
///
/// The same bytes come each time: keys, nonces and times follow from a seed.
struct Seeds {
    private let folder: URL

    init(in folder: URL) { self.folder = folder }

    /// Writes them, those of each target into a folder of its name.
    func write() throws {
        let scratch = FileManager.default.temporaryDirectory.appending(path: "groundwave-seeds-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: scratch) }
        let here = try SeedStore(in: scratch, name: "here", seed: 1)
        let there = try SeedStore(in: scratch, name: "there", seed: 2)
        try writePages(of: here, "new")
        for number in 0..<6 { try here.write(number) }
        for number in 6..<9 { try there.write(number) }
        try writeEvents(of: here)
        try writeRanges(of: here)
        try here.receive(from: there, first: 1)
        try there.receive(from: here, first: 3)
        try here.write(9)
        try writeSegments(of: here)
        try writeSnapshot(of: here)
        try writeArchive(of: here)
        try writeRows(of: here)
        try there.log.sealPending()
        try writePages(of: here, "two-replicas")
        try writePages(of: there, "waiting")
        try writePages(of: parted(in: scratch), "parted")
        try writeText()
        try writeMeters()
        try writeDatagrams()
    }

    /// Messages of WSJT-X of both types, and of N1MM.
    private func writeDatagrams() throws {
        func text(_ text: String) -> [UInt8] { [0, 0, 0, UInt8(text.utf8.count)] + text.utf8 }
        let begin: [UInt8] = [0xAD, 0xBC, 0xCB, 0xDA, 0, 0, 0, 3, 0, 0, 0]
        let adif = "<programid:6>WSJT-X<EOH><CALL:4>W1AW<BAND:3>20m<MODE:3>FT8<EOR>"
        try put(.datagram, "adif", Array(adif.utf8))
        try put(.datagram, "logged-adif", begin + [12] + text("WSJT-X") + text(adif))
        let time: [UInt8] = [0, 0, 0, 0, 0, 0x25, 0x8D, 0xEA, 0x02, 0x93, 0x68, 0x98]
        let frequency: [UInt8] = [0, 0, 0, 0, 0, 0xD6, 0xC2, 0x84]
        let values = ["FT4", "-08", "-11", "10", "", ""].flatMap(text)
        let later = ["N0CALL", "N0CALL", "EM12", "", "", ""].flatMap(text)
        let call = text("W1AW") + text("FN31")
        try put(
            .datagram, "qso-logged",
            begin + [5] + text("JTDX") + time + [1] + call + frequency + values + time + [2, 0, 0, 14, 16] + later)
        let contact = "<contactreplace><call>W1AW</call><timestamp>2026-05-01 12:00:15</timestamp><band>3,5</band>"
        try put(.datagram, "n1mm", Array("\(contact)<name>A &amp; B</name><ID>a1</ID></contactreplace>".utf8))
        try put(.datagram, "n1mm-deletion", Array("<contactdelete><ID>a1</ID></contactdelete>".utf8))
    }

    /// Sample blocks of several kinds of columns, and frames of two meters.
    private func writeMeters() throws {
        var numbers = SeededGenerator(seed: 11)
        let noise = (0..<300).map { _ in Int64.random(in: -400...400, using: &numbers) }
        let held = (0..<300).map { noise[$0 / 7 * 7] * 195 }
        var (sum, sums) = (Int64(0), [Int64]())
        for value in noise {
            sum += value + 500
            sums.append(sum / 36)
        }
        try put(.samples, "noise", SampleBlock.encoded([noise]))
        try put(.samples, "held", SampleBlock.encoded([held, noise]))
        try put(.samples, "sums", SampleBlock.encoded([noise, sums], sums: [1: SampleBlock.Sum(of: 0)]))
        try put(.samples, "extremes", SampleBlock.encoded([[.min, .max, 0, .max], [7, 7, 7, 7]]))
        var rows = TraceRows(
            Layout(
                [Channel("voltage", .volt, decimals: 3), Channel("current", .ampere, decimals: 4)],
                tick: Layout.Tick(hertz: 1000, modulus: 65_536)), first: 7)
        for row in 0..<9 {
            rows.times.append(1_700_000_000_000 + Int64(row) * 20)
            rows.ticks.append(Int64(row) * 20)
            rows.columns[0].append(5_000 + Int64(row))
            rows.columns[1].append(-100)
        }
        rows.marks = [
            Mark(.gap, before: 3, count: 4), Mark(.repeats, before: 5, count: 2),
            Mark(.unanswered, before: 5, count: 1),
            Mark(.estimated, before: 6, count: 7), Mark(.clock, before: 8, count: 7_200_000),
        ]
        try put(.summary, "rows", BlockSummary(of: rows, after: nil).bytes)
        try put(
            .summary, "two",
            BlockSummary(of: rows, after: nil).bytes + BlockSummary(of: rows, after: rows.lastRow).bytes)
        var reading = TraceRows(Layout([Channel("temperature", .celsius, decimals: 2)]), first: 16)
        (reading.times, reading.columns) = ([1_700_000_000_200], [[2_150]])
        var mixed = rows
        _ = mixed.append(reading)
        let patterns = BlockSummary(of: mixed, after: nil)
        try put(.summary, "patterns", patterns.bytes)
        try put(.summary, "counts", patterns.joined(with: patterns).bytes)
        var capture = Capture(first: 7)
        capture.append(CapturedBytes(.sent, at: 1_700_000_000_000, [0xF0]))
        capture.append(CapturedBytes(.received, at: 1_700_000_000_020, [9, 0xC9, 1, 2, 3]))
        let block = capture.block
        try put(.capture, "pieces", [UInt8(block.summary.count)] + block.summary + block.content)
        var (writer, text) = (try TraceWriter(.csv), [UInt8]())
        try writer.begin(rows.layout) { text += $0 }
        try writer.append(rows) { text += $0 }
        _ = try writer.finish { text += $0 }
        try put(.table, "rows", [7] + text)
        let joulescope = "#time,current,voltage,power,charge,energy\n0.0,4e-05,4.7,1.8,0,0\n0.5,0.4,4.7,1.9,0.18,0.95\n"
        try put(.foreignTable, "joulescope", [7, 0] + joulescope.utf8)
        try put(.foreignTable, "sigrok", [9, 0] + "; remark\nmicroseconds,V DC,V DC\n100,-10,0\n350,-10,3.1\n".utf8)
        try put(.foreignTable, "dates", [50, 1] + "t;x\n2026-05-01 12:00:00.5;\"1,5\"\n2026-05-01 12:00:01;nan\n".utf8)
        try put(.foreignTable, "numbers", [3, 2] + "0,00;5,1384;0,1\n0,10;5,1384;0,2\n".utf8)
        // A report of an Atorch meter for USB, and two samples of a KM003C's queue.
        var report: [UInt8] =
            [0xFF, 0x55, 0x01, 0x03, 0x00, 0x01, 0xF4, 0x00, 0x00, 0x64] + [UInt8](repeating: 0, count: 25)
        report.append(report[2...].reduce(0, &+) ^ 0x44)
        try put(.meter, "atorch", [9, 20] + report + report)
        let sample: [UInt8] = [0xA9, 0x8B, 0x4D, 0, 0xD2, 0, 0, 0, 0x43, 0, 0xA3, 0x0C, 0, 0, 0, 0]
        try put(
            .meter, "km003c",
            [8, 9, 0x41, 1, 0x82, 0x02, 2, 0, 2, 5, 78, 0, 60, 0] + sample + [79, 0, 60, 0] + sample)
    }

    private func put(_ target: Target, _ name: String, _ bytes: [UInt8]) throws {
        let folder = folder.appending(path: target.name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        require(bytes.count <= target.byteLimit, "\(target.name)/\(name) has \(bytes.count) bytes, more than are tried")
        try Data(bytes).write(to: folder.appending(path: name))
    }

    /// A log with two histories of one replica.
    private func parted(in scratch: URL) throws -> SeedStore {
        let one = try SeedStore(in: scratch, name: "one", seed: 3)
        let other = try SeedStore(in: scratch, name: "other", seed: 3)
        for number in 0..<2 {
            try one.write(number)
            try other.write(number)
        }
        try one.write(2)
        for number in 3..<5 { try other.write(number) }
        try one.receive(from: other, first: 1)
        return one
    }

    private func writeEvents(of store: SeedStore) throws {
        var number = 0
        try store.log.scan(from: 1) { _, frame, bytes in
            let whole = bytes.extracting(0..<frame.length).toArray()
            try put(.frame, "event-\(number)", [0] + whole)
            try put(.event, "event-\(number)", [UInt8(number & 1)] + whole)
            if number == 0 {
                var withheld = ByteWriter()
                withheld.append(withholding: frame, in: bytes, after: 0)
                try put(.frame, "withheld", [1] + withheld.bytes)
                try put(.event, "withheld", [0] + withheld.bytes)
                var read = ByteWriter()
                let reading = NameResolution(replica: store.replica, after: 0, stream: ReplicaID(high: 5, low: 5))
                read.append(frame, in: bytes, readAs: [reading], after: 0)
                try put(.frame, "readings", [1] + read.bytes)
            }
            number += 1
            return true
        }
        for number in 0..<4 as Range<UInt64> {
            var numbers = SeededGenerator(seed: number)
            try put(.recordChange, "dice-\(number)", numbers.bytes(80))
        }
    }

    private func writeRanges(of store: SeedStore) throws {
        for (first, last) in [(1, 6), (2, 3)] as [(UInt64, UInt64)] {
            guard let frame = try store.frame(first, through: last) else { continue }
            try put(.range, "range-\(first)-\(last)", [0] + frame.bytes)
            try put(.range, "trusted-\(first)-\(last)", [1] + frame.bytes.dropLast(4))
            var made: [UInt8] = [2, UInt8(first)]
            for number in first...last {
                try frame.withEvent(number) { frame, bytes in made += bytes.extracting(0..<frame.length).toArray() }
            }
            try put(.range, "events-\(first)-\(last)", made)
        }
    }

    private func writeSegments(of store: SeedStore) throws {
        let now = Arrival.seed(99)
        let manifest = try Manifest(of: store.log, as: store.identity, milliseconds: now.wallMilliseconds)
        try Bundle(of: store.log, as: store.identity, missingFrom: VersionVector()).write { segment, _ in
            try put(.segment, "segment", [0] + segment)
            try put(.segment, "mended", [1] + segment)
        }
        let wanting = Manifest(
            store: manifest.store, milliseconds: 1, heads: manifest.heads,
            wanted: [EventRange(store.replica, 2, through: 4)])
        for (name, manifest) in [("statement", manifest), ("wanting", wanting)] {
            var writer = ByteWriter()
            writer.append(manifest)
            try put(.manifest, name, [0] + writer.bytes)
            var catalog = Catalog(of: manifest, history: 5)
            (catalog.number, catalog.last, catalog.erasedMark) = (7, 41, 2)
            let hash = writer.bytes.withSpan { Hash256(hashing: $0) }
            catalog.packs = [3, 40].map { Catalog.Pack(last: $0, byteCount: 900, hash: hash) }
            catalog.takenOver = [store.replica: 6]
            try put(.catalog, name, [0] + catalog.bytes(log: Target.log, by: store.identity))
            try put(.catalog, "mended-\(name)", [1] + catalog.bytes(log: Target.log, by: store.identity))
        }
        var talk: [UInt8] = [1]
        let frame = try store.frame(1, through: 2)
        let messages: [Message] = [
            .hello(Target.log, manifest), .ack(count: 0, heads: manifest.heads), .range(frame?.bytes ?? []),
            .caughtUp,
            .close("73"),
        ]
        for message in messages {
            let bytes = message.bytes
            let body = bytes[Message.prefixSize..<bytes.count - 4]
            talk += [bytes[4], UInt8(body.count & 0xFF), UInt8(body.count >> 8)] + body
        }
        try put(.manifest, "conversation", talk)
        var notes = RemoteCache()
        notes.next = [store.replica: 3]
        notes.catalogs = [store.replica: KnownCatalog(history: 4, number: 5, mark: 77)]
        notes.takenOver = [store.replica: 3]
        notes.unread = [store.replica: [1]]
        notes.record(wanting)
        notes.add(EventRange(store.replica, 20, through: 30))
        try put(.notes, "notes", Array(notes.bytes.dropLast(4)))
    }

    private func writeSnapshot(of store: SeedStore) throws {
        var file: [UInt8] = []
        let vector = try store.log.vector()
        let views = try PastViews(of: store.views, EventFilter(vector), temporaryPath: store.path("past"))
        _ = try Snapshot.write(of: views, created: 5) { file += $0 }
        try put(.snapshot, "snapshot", [0] + file)
        let path = store.path("a.snapshot")
        try Data(file).write(to: URL(filePath: path))
        let reader = try ChunkedFileReader(path, magic: SnapshotFormat.magic)
        try put(.snapshot, "parts", [1] + parts(of: reader, [.records, .residue]))
    }

    private func writeArchive(of store: SeedStore) throws {
        var file: [UInt8] = []
        _ = try Archive.write(try store.log.vector(), of: store.log, created: 5, keeping: { _, _ in false }) {
            file += $0
        }
        try put(.archive, "archive", [0] + file)
        let path = store.path("a.archive")
        try Data(file).write(to: URL(filePath: path))
        try put(.archive, "parts", [1] + parts(of: ChunkedFileReader(path, magic: 0x3141_5747), [.events]))
    }

    /// The parts of a file as a target takes them.
    private func parts(of file: ChunkedFileReader, _ types: Set<ChunkedFile.ChunkType>) throws -> [UInt8] {
        var bytes: [UInt8] = []
        func add(_ type: ChunkedFile.ChunkType, _ content: [UInt8]) {
            bytes += [type.rawValue, UInt8(content.count & 0xFF), UInt8(content.count >> 8)] + content
        }
        add(.head, file.head)
        try file.forEachChunk(of: types) { add($0, $1) }
        add(.end, file.end)
        return bytes
    }

    private func writeRows(of store: SeedStore) throws {
        var number = 0
        try store.views.read { view in
            var columns = RecordColumnsWriter()
            try view.forEachState(of: QSOKind.name, from: RecordID(high: 0, low: 0)) { id, state in
                var row = ByteWriter()
                state.encode(into: &row)
                if number < 3 { try put(.row, "row-\(number)", [0] + row.bytes.dropFirst(4)) }
                columns.append(id, state, history: [])
                number += 1
                return true
            }
            try put(.row, "columns", [1, UInt8(number)] + columns.encode())
        }
    }

    private func writePages(of store: SeedStore, _ name: String) throws {
        let copy = store.path("copy.mdb")
        try? FileManager.default.removeItem(atPath: copy)
        // A copy has no pages of the past, which would be most of the file.
        try store.log.copy(to: copy) { _ in nil }
        let file = [UInt8](try Data(contentsOf: URL(filePath: copy)))
        let bytes = Target.sparse(file)
        require(Target.sparseFile(bytes) == file, "the input makes the file again")
        try put(.pages, name, [3] + bytes)
    }

    private func writeText() throws {
        let contacts = (0..<3).map { SeedStore.fields($0) }
        var adi: [UInt8] = []
        var adx: [UInt8] = []
        let header = ADIWriter.makeHeader(programVersion: "1", createdTimestamp: 1_700_000_000)
        ADIWriter.append(header, to: &adi)
        ADXWriter.appendStart(header, to: &adx)
        for fields in contacts {
            var record = ADIFFields()
            for (name, value) in fields { record.append(FieldName(name), value) }
            record.append(FieldName("APP_GROUNDWAVE_NOTE"), "<b> & \u{00FC}", typeIndicator: 0x53)
            ADIWriter.append(record, to: &adi)
            _ = ADXWriter.append(ADIFRecord(fields: record), to: &adx)
        }
        ADXWriter.appendEnd(to: &adx)
        try put(.adif, "log.adi", adi)
        try put(.adif, "log.adx", adx)
        let odd = [
            "no-header": "<CALL:6>N0CALL<BAND:3>40m<EOR>\n<call:6>N0CALL <qso_date:8:d>20240101 <eor>",
            "wrong-lengths": "x<EOH><CALL:9>N0CALL<NAME:4>J\u{00FC}rg<COMMENT>no length\n<MODE:2>CW<EOR>",
            "comments": "log // <CALL:1>\n<EOH>// a remark\n<CALL:6>N0CALL text < here ><BAND:4>20mm<EOR><EOF>",
            "user-fields": "<USERDEF1:8:E>SIZE,{S,L}<USERDEF2:10:N>N,{5:20}<EOH><CALL:6>N0CALL<SIZE:1>S<EOR>",
            "cut.adx": "<?xml version=\"1.0\"?><ADX><HEADER/><RECORDS><RECORD><CALL>N0CALL</CALL><BAND>40m",
        ]
        for (name, text) in odd { try put(.adif, name, Array(text.utf8)) }
    }
}
