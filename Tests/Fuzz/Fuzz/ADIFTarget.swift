import GroundwaveADIF
import GroundwaveRadio

extension Target {
    /// Log files of both forms: whatever is read is written, and read again to the same.
    static let adif = Target(name: "adif", byteLimit: 4096) { input in
        let items = ADIReader.items(in: input)
        checkRejections(items, input.count)
        checkPieces(items, input)
        checkADI(items)
        if input.first == 0x3C {
            let items = ADXReader.items(in: input)
            checkRejections(items, input.count)
            checkADX(items)
        }
    }

    private static func records(of items: [ADIFItem]) -> [ADIFRecord] {
        items.compactMap { if case .record(let record) = $0 { record } else { nil } }
    }

    private static func checkRejections(_ items: [ADIFItem], _ count: Int) {
        for item in items {
            switch item {
            case .rejected(let rejection):
                require(rejection.byteRange.upperBound <= UInt64(count), "what is rejected lies within the file")
            case .record(let record): require(!record.fields.isEmpty, "a record has a field")
            case .header(let header): _ = header.userFields
            }
        }
    }

    /// How a file is cut into pieces makes no difference.
    private static func checkPieces(_ items: [ADIFItem], _ input: [UInt8]) {
        var reader = ADIReader()
        var found: [ADIFItem] = []
        var start = 0
        while start < input.count {
            let end = min(input.count, start + 1 + Int(input[start]) % 48)
            reader.append(input[start..<end])
            while let item = reader.next() { found.append(item) }
            start = end
        }
        reader.finish()
        while let item = reader.next() { found.append(item) }
        require(found == items, "a file that comes in pieces is read as one that comes whole: \(found) \(items)")
    }

    private static func checkADI(_ items: [ADIFItem]) {
        // A field that comes twice, behind a value that quotes the end of a record, is what a record without an end looks
        // like: there a length that is right cannot be told from one that is wrong.
        let records = records(of: items).filter { Set($0.fields.map(\.name)).count == $0.fields.count }
        var bytes: [UInt8] = []
        ADIWriter.append(ADIFHeader(), to: &bytes)
        for record in records { ADIWriter.append(record, to: &bytes) }
        let again = Target.records(of: ADIReader.items(in: bytes))
        require(again.count == records.count, "each record that is written is read again")
        for (left, right) in zip(records, again) {
            require(left.fields.count == right.fields.count, "each field that is written is read again")
            for (left, right) in zip(left.fields, right.fields) {
                require(left == right, "a field is read as it was written: \(left), \(right)")
            }
        }
    }

    private static func checkADX(_ items: [ADIFItem]) {
        let records = records(of: items)
        var bytes: [UInt8] = []
        var problems = ADXWriter.appendStart(ADIFHeader(), to: &bytes)
        for record in records { problems += ADXWriter.append(record, to: &bytes) }
        ADXWriter.appendEnd(to: &bytes)
        let again = ADXReader.items(in: bytes)
        require(
            !again.contains { if case .rejected = $0 { true } else { false } }, "what is written as ADX can be read")
        guard problems.isEmpty else { return }
        let found = Target.records(of: again)
        require(found.count == records.count, "each record of ADX that is written is read again")
        for (left, right) in zip(records, found) {
            require(
                left.fields.map(\.name) == right.fields.map(\.name)
                    && left.fields.map(\.text) == right.fields.map(\.text),
                "the fields of ADX are read as they were written: \(left.fields.map(\.description)) \(right.fields.map(\.description))"
            )
        }
    }
}
