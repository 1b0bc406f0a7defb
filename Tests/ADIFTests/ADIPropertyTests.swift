import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveADIF

@Suite struct `Random ADI files` {
    @Test(arguments: UInt64(1)...200)
    func `what is written is read back byte for byte`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let records = (1...20).map { random.record(number: $0) }
        var bytes: [UInt8] = []
        ADIWriter.append(ADIWriter.makeHeader(programVersion: "1", createdTimestamp: 0), to: &bytes)
        for record in records { ADIWriter.append(record, to: &bytes) }
        let items = ADIReader.items(in: bytes)
        #expect(items.rejections.isEmpty)
        #expect(items.headers.count == 1)
        #expect(items.records.map { Array($0.fields) } == records.map { Array($0.fields) })
        #expect(Set(items.warnings).isSubset(of: [.notUTF8]))
    }

    @Test(arguments: UInt64(1)...200)
    func `the chunks in which a file arrives make no difference`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let bytes = damagedLog(using: &random).bytes
        let whole = ADIReader.items(in: bytes)
        var reader = ADIReader()
        var items: [ADIFItem] = []
        var rest = bytes[...]
        let longest = random.element([1, 3, 40, 700])
        while !rest.isEmpty {
            let chunk = rest.prefix(random.number(1...longest))
            rest = rest.dropFirst(chunk.count)
            reader.append(chunk)
            while let item = reader.next() { items.append(item) }
        }
        reader.finish()
        while let item = reader.next() { items.append(item) }
        for (item, wholeItem) in zip(items, whole) where item != wholeItem {
            Issue.record("\(item)\nis not\n\(wholeItem)")
            break
        }
        #expect(items.count == whole.count)
    }

    @Test(arguments: UInt64(1)...1_000)
    func `damage costs no record outside of it`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let log = damagedLog(using: &random)
        let items = ADIReader.items(in: log.bytes)
        let read = items.records.map { Array($0.fields) }
        for (index, record) in log.records.enumerated() where !log.damagedRecords.contains(index) {
            #expect(read.contains(Array(record.fields)), "record \(index + 1)")
        }
    }

    @Test(arguments: UInt64(1)...200)
    func `arbitrary bytes are read to their end and every one is accounted for in order`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let bytes = random.hostileBytes(maximum: 400)
        let items = ADIReader.items(in: bytes)
        #expect(!items.isEmpty)
        var end: UInt64 = 0
        for item in items {
            switch item {
            case .header: break
            case .record(let record):
                #expect(record.byteOffset >= end)
                end = record.byteOffset + UInt64(record.fields.bytes.count)
            case .rejected(let part):
                #expect(part.byteRange.lowerBound >= end)
                end = part.byteRange.upperBound
            }
        }
        #expect(end <= UInt64(bytes.count))
    }

    /// A log of plain contacts, damaged at one place.
    private func damagedLog(
        using random: inout SeededGenerator
    ) -> (bytes: [UInt8], records: [ADIFRecord], damagedRecords: Range<Int>) {
        var bytes: [UInt8] = []
        ADIWriter.append(ADIWriter.makeHeader(programVersion: "1", createdTimestamp: 0), to: &bytes)
        var records: [ADIFRecord] = []
        var ranges: [Range<Int>] = []
        for number in 1...12 {
            var fields = ADIFFields()
            fields.append(.call, "N\(number % 10)CAL\(random.element(["L", "K", "M"]))")
            fields.append(.qsoDate, "20260\(random.number(1...9))1\(random.number(0...9))")
            fields.append(.timeOn, "12\(random.number(10...59))")
            fields.append(.band, random.element(["20m", "40m", "2m"]))
            fields.append(.mode, random.element(["CW", "SSB", "FT8"]))
            fields.append(.comment, random.element(["73", "tnx", "", "a rather longer text", "naïve"]))
            records.append(ADIFRecord(number: number, fields: fields))
            let start = bytes.count
            ADIWriter.append(fields, to: &bytes)
            ranges.append(start..<bytes.count - 1)
        }
        let start = random.number(0...bytes.count - 1)
        let end = min(bytes.count, start + random.number(0...60))
        let replacement: [UInt8] =
            switch random.number(0...2) {
            case 0: []
            case 1: (0..<max(1, end - start)).map { _ in UInt8(random.number(0...255)) }
            default: random.hostileBytes(maximum: 30)
            }
        bytes.replaceSubrange(start..<end, with: replacement)
        let first = ranges.firstIndex { $0.upperBound > start } ?? ranges.count
        let last = ranges.firstIndex { $0.lowerBound >= end } ?? ranges.count
        return (bytes, records, first..<max(first, last))
    }
}
