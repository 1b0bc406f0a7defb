import Everything
import Foundation
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveSeededNumbers
import GroundwaveTesting
import Testing

/// What is shown of one field, as a model that knows neither events nor registers: what persons wrote, and what each program
/// says, each since when. It is the rule of `imports.py` for one field, on one device.
private struct FieldModel {
    struct Head {
        var value: String
        /// `nil` for a person.
        var source: String?
        var since: Int
    }

    let name: String
    var heads: [Int: Head] = [:]
    /// Those that were replaced, also before they came.
    var gone: Set<Int> = []

    init(_ name: String) { self.name = name }

    /// Whether a value says all that another one says.
    func covers(_ value: String, _ other: String) -> Bool {
        if value.isEmpty || other.isEmpty { return other.isEmpty }
        switch name {
        case "TIME_ON": return value == other || value.count == 6 && other.count == 4 && value.hasPrefix(other)
        case "FREQ": return value.hasPrefix(other)
        case "GRIDSQUARE": return value.uppercased().hasPrefix(other.uppercased())
        case "NAME": return value.uppercased() == other.uppercased()
        default: return value == other
        }
    }

    var shown: String {
        if let hand = heads.filter({ $0.value.source == nil }).max(by: { $0.key < $1.key }) { return hand.value.value }
        let said = heads.filter { !$0.value.value.isEmpty }
        let best = said.filter { one in
            !said.values.contains { covers($0.value, one.value.value) && !covers(one.value.value, $0.value) }
        }
        func place(_ head: Head) -> Int {
            said.values.filter { covers(head.value, $0.value) }.map(\.since).min() ?? head.since
        }
        let first = best.min { (place($0.value), $0.value.since, $0.key) < (place($1.value), $1.value.since, $1.key) }
        return first?.value.value ?? ""
    }

    mutating func take(_ write: Write) {
        for old in write.supersedes {
            heads[old] = nil
            gone.insert(old)
        }
        if !gone.contains(write.number) { heads[write.number] = write.head }
    }

    struct Write {
        var number: Int
        var head: Head
        var supersedes: [Int]
    }

    /// What an import of `value` writes; `nil` if that is no news.
    func write(_ value: String, from source: String, _ number: Int) -> Write? {
        let own = heads.filter { $0.value.source == source }
        if value.isEmpty { return nil }
        if own.isEmpty {
            if covers(shown, value) { return nil }
            return Write(number: number, head: Head(value: value, source: source, since: number), supersedes: [])
        }
        if own.values.contains(where: { covers($0.value, value) }) { return nil }
        let since = own.values.map(\.since).min() ?? number
        return Write(
            number: number, head: Head(value: value, source: source, since: since), supersedes: Array(own.keys))
    }

    /// What a person writes.
    func write(_ value: String, _ number: Int) -> Write {
        Write(number: number, head: Head(value: value, source: nil, since: number), supersedes: Array(heads.keys))
    }
}

/// Persons and programs on several devices: each program coarsens, corrects, leaves out and contradicts, persons edit and
/// clear, and devices meet now and then.
@Suite struct `Exporters and persons on several devices` {
    private static let values: KeyValuePairs<String, [String]> = [
        "TIME_ON": ["120030", "1200", "120045"], "FREQ": ["14.074512", "14.0745", "14.07", "14.25"],
        "GRIDSQUARE": ["FN31pr", "FN31", "fn31", "FN42"], "NAME": ["Hiram", "HIRAM", "", "Percy"],
        "COMMENT": ["as heard", "", "loud"],
    ]
    private static let fields = values.map(\.key)

    private static let seeds: ClosedRange<UInt64> = {
        let words = (ProcessInfo.processInfo.environment["GROUNDWAVE_EXPORTER_SEEDS"] ?? "").split(separator: "...")
        let numbers = words.compactMap { UInt64($0) }
        return numbers.count == 2 && numbers[0] <= numbers[1] ? numbers[0]...numbers[1] : 1...60
    }()

    @Test(arguments: seeds) func `end with the same on all of them, which is what the model shows`(seed: UInt64)
        async throws
    {
        var numbers = SeededGenerator(seed: seed)
        let fleet = try await Fleet(Int.random(in: 2...3, using: &numbers), seed: seed, skew: .zero)
        defer { fleet.close() }
        var models = fleet.stores.map { _ in Self.fields.map { FieldModel($0) } }
        var written: [[(field: Int, write: FieldModel.Write)]] = fleet.stores.map { _ in [] }
        var has: [Set<Int>] = fleet.stores.map { _ in [] }
        func take(_ field: Int, _ write: FieldModel.Write, _ device: Int) {
            models[device][field].take(write)
            written[device].append((field, write))
            has[device].insert(write.number * Self.fields.count + field)
        }
        func meet(_ to: Int, _ from: Int) throws {
            try Fleet.send(from: fleet.stores[from], to: fleet.stores[to], at: fleet.clocks[to])
            for (field, write) in written[from] where !has[to].contains(write.number * Self.fields.count + field) {
                take(field, write, to)
            }
        }
        for number in 1...Int.random(in: 4...16, using: &numbers) {
            for clock in fleet.clocks { clock.advance(by: .seconds(60)) }
            let device = Int.random(in: 0..<fleet.stores.count, using: &numbers)
            let contact = try fleet.stores[device].firstContact()
            switch Int.random(in: 0..<10, using: &numbers) {
            case 0...4:
                let source = ["A", "B", "C"].randomElement(using: &numbers) ?? "A"
                let chosen = Self.values.map { ($0.key, $0.value.randomElement(using: &numbers) ?? "") }
                    .filter { $0.0 == "TIME_ON" || !numbers.chance(0.2) }
                try await fleet.stores[device].importText(Self.text(source, chosen))
                for (name, value) in chosen {
                    let field = Self.fields.firstIndex(of: name) ?? 0
                    if let write = models[device][field].write(value, from: source, number) {
                        take(field, write, device)
                    }
                }
            case 5...6:
                guard let contact else { continue }
                let name = ["NAME", "COMMENT", "GRIDSQUARE"].randomElement(using: &numbers) ?? "NAME"
                let field = Self.fields.firstIndex(of: name) ?? 0
                let value = numbers.chance(0.3) ? "" : "EM1\(number % 10)"
                if models[device][field].shown == value { continue }
                try await fleet.stores[device].write {
                    try $0.set("qso", contact.id, [Assignment(name, value.isEmpty ? nil : Array(value.utf8))])
                }
                take(field, models[device][field].write(value, number), device)
            default: try meet(device, (device + 1) % fleet.stores.count)
            }
            try Self.expect(fleet.stores[device], models[device], "device \(device) after \(number)")
        }
        for to in fleet.stores.indices { for from in fleet.stores.indices where from != to { try meet(to, from) } }
        for to in fleet.stores.indices.dropFirst() { try meet(to, 0) }
        for (store, model) in zip(fleet.stores, models) {
            try Self.expect(store, model, "at the end")
            #expect(try store.digest().views == fleet.stores[0].digest().views)
            #expect(try store.compareWithReplay().isSame)
        }
    }

    private static func expect(_ store: Store, _ model: [FieldModel], _ comment: String) throws {
        guard let contact = try store.firstContact() else { return #expect(model.allSatisfy { $0.heads.isEmpty }) }
        #expect(try store.read { try $0.count(.everything) } == 1, "\(comment)")
        for field in model {
            #expect(contact.text(FieldName(field.name)) ?? "" == field.shown, "\(field.name), \(comment)")
        }
        #expect(contact.text("BAND") == "20m" && contact.text("QSO_DATE") == "20240501", "\(comment)")
    }

    private static func text(_ source: String, _ values: [(String, String)]) -> String {
        func field(_ name: String, _ value: String) -> String { "<\(name):\(value.utf8.count)>\(value)" }
        return "x\n" + field("PROGRAMID", source) + "<EOH>\n" + field("CALL", "N0CALL") + field("QSO_DATE", "20240501")
            + field("MODE", "FT8") + field("BAND", "20m") + values.map { field($0, $1) }.joined() + "<EOR>\n"
    }
}
