import Foundation
import GroundwaveEvents
import GroundwaveRecords
import GroundwaveSeededNumbers

/// The executable model of what is shown of persons and import sources: `imports.py`, beside `records.py`.
enum SourceModel {
    static let script = Oracle.script?.deletingLastPathComponent().appending(path: "imports.py")

    /// What the model shows of each field of each record.
    struct Shown: Equatable {
        var value: String?
        var contradictions: [String]
    }

    /// Folds lines of NDJSON in a process of its own. Records and fields by their names, separated by a slash.
    static func fold(_ lines: String) throws -> [String: Shown] {
        let answer = try Oracle.run(script!, lines)
        let state = try JSONSerialization.jsonObject(with: answer) as? [String: Any]
        var shown: [String: Shown] = [:]
        for entry in state?["shown"] as? [[Any]] ?? [] {
            guard let record = entry[0] as? String, let field = entry[1] as? String else { continue }
            shown["\(record)/\(field)"] = Shown(
                value: entry[2] as? String, contradictions: entry[3] as? [String] ?? [])
        }
        return shown
    }

    static let fields = ["TIME_ON", "FREQ", "GRIDSQUARE", "NAME"]

    /// What values say, as the model has it.
    static func covers(_ field: String, _ value: [UInt8], _ other: [UInt8]) -> Bool {
        let (value, other) = (String(decoding: value, as: UTF8.self), String(decoding: other, as: UTF8.self))
        if other.isEmpty || value.isEmpty { return other.isEmpty }
        switch field {
        case "TIME_ON":
            return value == other || value + "00" == other
                || value.count == 6 && other.count == 4 && value.hasPrefix(other)
        case "FREQ":
            return value == other || value.contains(".") && value.hasPrefix(other.contains(".") ? other : other + ".")
        case "GRIDSQUARE": return value.uppercased().hasPrefix(other.uppercased())
        default: return value.uppercased() == other.uppercased()
        }
    }

    static let schema = KindSchema(
        name: "thing",
        fields: fields.enumerated().map { FieldSchema(UInt32($0 + 1), $1, .sources) }
            + [FieldSchema(9, "frequency", .sources, members: ["FREQ_RX", "BAND_RX", "LAT"])],
        covers: { covers($0 == "FREQ_RX" ? "FREQ" : $0, $1, $2) })
}

/// Writes of persons and sources on one record, each of an author who has seen some of those before.
struct SourceHistory {
    struct Write {
        var number: Int
        var field: Int
        var value: String?
        var source: Int?
        var isTrusted = false
        var since: Int?
        var supersedes: [Int]
    }

    private(set) var writes: [Write] = []

    private static let values = [
        ["120030", "1200", "115900", "120000"], ["14.074512", "14.074", "14", "14.2"],
        ["FN31PR", "FN31", "FN42", "fn31"],
        ["HIRAM", "Hiram", "BOB", "Maxim"],
    ]

    init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for number in 1...Int.random(in: 2...9, using: &generator) {
            let field = Int.random(in: 0..<Self.values.count, using: &generator)
            let seen = writes.filter { $0.field == field && generator.chance(0.7) }
            let named = Set(seen.flatMap(\.supersedes))
            let heads = seen.filter { !named.contains($0.number) }
            let value = Self.values[field].randomElement(using: &generator)!
            if generator.chance(0.15) {
                writes.append(
                    Write(
                        number: number, field: field, value: generator.chance(0.3) ? nil : value,
                        supersedes: heads.map(\.number)))
                continue
            }
            let source = Int.random(in: 1...3, using: &generator)
            let own = heads.filter { $0.source == source }
            writes.append(
                Write(
                    number: number, field: field, value: value, source: source, isTrusted: generator.chance(0.15),
                    since: own.map { $0.since ?? $0.number }.min(), supersedes: own.map(\.number)))
        }
    }

    /// The lines that the model reads.
    func lines(record: String) throws -> String {
        try writes.map { write in
            var line: [String: Any] = [
                "event": write.number, "op": "set", "record": record, "field": SourceModel.fields[write.field],
                "supersedes": write.supersedes,
            ]
            line["value"] = write.value
            line["source"] = write.source.map { "S\($0)" }
            line["trusted"] = write.isTrusted
            line["since"] = write.since
            return String(decoding: try JSONSerialization.data(withJSONObject: line), as: UTF8.self) + "\n"
        }.joined()
    }

    /// The same writes as events of three devices.
    var events: [FramedEvent] {
        var names: [Int: EventID] = [:]
        var counts: [ReplicaID: SequenceNumber] = [:]
        return writes.map { write in
            let replica = Scene.replica(["a", "b", "c"][write.number % 3])
            counts[replica, default: 0] += 1
            let id = EventID(replica, counts[replica]!)
            names[write.number] = id
            let operation = FieldOperation(
                write.value == nil ? .clear : .set, .number(UInt32(write.field + 1)),
                supersedes: write.supersedes.map { HeadID(names[$0]!) }, value: write.value.map { Array($0.utf8) },
                since: write.since.map { Stamp(rawValue: UInt64($0)) })
            let change = Change(
                kind: "thing", record: Scene.record, source: write.source.map { SourceID(rawValue: UInt64($0)) },
                isTrusted: write.isTrusted, operations: [operation])
            return FramedEvent(id, at: Stamp(rawValue: UInt64(write.number)), change, nonce: UInt64(write.number))
        }
    }
}
