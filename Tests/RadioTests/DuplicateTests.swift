import GroundwaveADIF
import GroundwaveEvents
import GroundwaveRecords
import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveRadio

/// A contact of 2026-05-01 on 20 m in CW, but for what `fields` say; `nil` where it can be no duplicate.
private func candidate(_ number: UInt64, _ fields: KeyValuePairs<FieldName, String> = [:]) -> DuplicateCandidate? {
    var texts: [FieldName: String] = [
        .call: "N0CALL", .qsoDate: "20260501", .timeOn: "1234", .band: "20m", .mode: "CW",
    ]
    for (name, text) in fields { texts[name] = text.isEmpty ? nil : text }
    return DuplicateCandidate(RecordID(high: 0, low: number)) { name in texts[name].map { Array($0.utf8)[...] } }
}

/// Whether two contacts make a pair.
private func isPair(
    _ one: KeyValuePairs<FieldName, String>, _ other: KeyValuePairs<FieldName, String>, within window: Int64 = 120
) -> Bool {
    let candidates = [candidate(1, one), candidate(2, other)].compactMap(\.self)
    return !DuplicatePair.all(among: candidates, within: window).isEmpty
}

@Suite struct Duplicates {
    @Test func `two contacts that say the same are a pair`() throws {
        let candidates = [candidate(2), candidate(1)].compactMap(\.self)
        let pairs = DuplicatePair.all(among: candidates, within: 0)
        #expect(pairs.map(\.first.id.low) == [1])
        #expect(pairs.map(\.second.id.low) == [2])
        #expect(pairs.map(\.seconds) == [0])
    }

    @Test(arguments: [(" n0call ", true), ("N0CALL/P", false), ("N0CALX", false)])
    func `calls meet in upper case and without blanks, with their suffix`(call: String, meets: Bool) {
        #expect(isPair([:], [.call: call]) == meets)
    }

    @Test(
        arguments: [
            ("20M", "", true), ("", "14.0325", true), ("", "7.0325", false), ("40m", "", false),
            ("20m", "7.0325", true), ("", "", false), ("", "13.9", false),
        ] as [(String, String, Bool)])
    func `bands meet, derived from the frequency where they are missing`(
        band: String, frequency: String, meets: Bool
    ) {
        #expect(isPair([:], [.band: band, .freq: frequency]) == meets)
    }

    @Test func `contacts without a band meet one another`() {
        #expect(isPair([.band: ""], [.band: ""]))
        #expect(isPair([.mode: ""], [.mode: ""]))
        #expect(!isPair([:], [.mode: ""]))
    }

    /// One text of call, band and mode, whatever stands between them, is cut in different places.
    @Test(arguments: ["", "|", "\0"]) func `values that meet only where they are joined make no pair`(bar: String) {
        let (call, band) = ("N0CALL", "X")
        #expect(!isPair([.call: call, .band: "\(band)\(bar)Y"], [.call: "\(call)\(bar)\(band)", .band: "Y"]))
        #expect(!isPair([.band: band, .mode: "Y\(bar)Z"], [.band: "\(band)\(bar)Y", .mode: "Z"]))
        #expect(isPair([.call: "\(call)\(bar)Y", .band: band], [.call: "\(call)\(bar)Y", .band: band]))
    }

    private static let modes: [(String, String, String, String, Bool)] = [
        ("MFSK", "FT4", "FT4", "", true), ("SSB", "USB", "SSB", "", true), ("USB", "", "LSB", "", true),
        ("PSK31", "", "PSK", "PSK31", true), ("PHONE", "", "SSB", "", true), ("ft8", "", "FT8", "", true),
        ("DATA", "FT8", "FT8", "", true), ("DATA", "", "FT8", "", false), ("DATA", "", "DATA", "", true),
        ("FT8", "", "FT4", "", false), ("RTTY", "", "FT8", "", false), ("CW", "", "SSB", "", false),
    ]

    @Test(arguments: modes)
    func `modes meet by their parent`(
        mode: String, submode: String, otherMode: String, otherSubmode: String, meets: Bool
    ) {
        #expect(
            isPair([.mode: mode, .submode: submode], [.mode: otherMode, .submode: otherSubmode]) == meets)
    }

    @Test(
        arguments: [
            ("123400", "123600", 120, true), ("123400", "123601", 120, false), ("123601", "123400", 120, false),
            ("1234", "123450", 0, true), ("1234", "123500", 0, false), ("1234", "123500", 1, true),
            ("123359", "1234", 1, true), ("1234", "1237", 120, false), ("1234", "1237", 121, true),
            ("1234", "1234", 0, true), ("123401", "123402", 0, false),
        ] as [(String, String, Int64, Bool)])
    func `times meet within the window, and a time without seconds is any of its minute`(
        time: String, other: String, window: Int64, meets: Bool
    ) {
        #expect(isPair([.timeOn: time], [.timeOn: other], within: window) == meets)
    }

    @Test func `midnight is between two contacts like any other minute`() {
        #expect(isPair([.timeOn: "235930"], [.qsoDate: "20260502", .timeOn: "000010"]))
        #expect(!isPair([.timeOn: "235930"], [.timeOn: "000010"]))
    }

    @Test(
        arguments: [
            ("N0STN", "", "N0STN", "N0OPR", true), ("N0STN", "", "N0STX", "", false), ("N0STN", "", "", "", true),
            ("", "N0OPR", "n0opr", "", true), ("", "N0OPR", "", "N0OPX", false), ("", "N0OPR", "N0STN", "", false),
            ("", "", "", "", true),
        ] as [(String, String, String, String, Bool)])
    func `stations meet where they are equal or one is missing`(
        station: String, operatorCall: String, otherStation: String, otherOperator: String, meets: Bool
    ) {
        #expect(
            isPair(
                [.stationCallsign: station, .operator: operatorCall],
                [.stationCallsign: otherStation, .operator: otherOperator]) == meets)
    }

    @Test(
        arguments: [
            [.call: ""], [.qsoDate: ""], [.qsoDate: "20260231"], [.timeOn: ""], [.timeOn: "2460"], [.timeOn: "12"],
            [.mode: "WEATHER"], [.mode: "solar"], [.mode: "NOTE"],
        ] as [KeyValuePairs<FieldName, String>])
    func `without a call, date or time, and as a note of an activation, a record never pairs`(
        fields: KeyValuePairs<FieldName, String>
    ) {
        #expect(candidate(1, fields) == nil)
    }

    @Test(arguments: UInt64(1)...20)
    func `are what comparing each with each finds`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let candidates = Self.contacts(40, &generator)
        let window: Int64 = [0, 1, 30, 60, 120, 600].randomElement(using: &generator) ?? 120
        var expected: Set<Set<UInt64>> = []
        for (place, one) in candidates.enumerated() {
            for other in candidates[..<place] where Self.model(one, other, window) {
                expected.insert([one.id.low, other.id.low])
            }
        }
        let pairs = DuplicatePair.all(among: candidates, within: window)
        #expect(Set(pairs.map { [$0.first.id.low, $0.second.id.low] }) == expected)
        #expect(pairs.count == expected.count, "each once")
        #expect(pairs == DuplicatePair.all(among: candidates.shuffled(using: &generator), within: window))
    }

    private static func model(_ one: DuplicateCandidate, _ other: DuplicateCandidate, _ window: Int64) -> Bool {
        let isSameStation = one.station.isEmpty || other.station.isEmpty || one.station == other.station
        let isNear = one.start.contains { first in other.start.contains { abs(first - $0) <= window } }
        return one.key == other.key && isSameStation && isNear
    }

    fileprivate static func contacts(_ count: Int, _ generator: inout SeededGenerator) -> [DuplicateCandidate] {
        (0..<UInt64(count)).compactMap { number in
            let seconds = Int.random(in: 0..<1800, using: &generator)
            let (minute, second) = (10 + seconds / 60, 10 + seconds % 60 / 2)
            return candidate(
                number,
                [
                    .call: ["N0A", "N0B"].randomElement(using: &generator) ?? "",
                    .timeOn: "12\(minute)" + (Bool.random(using: &generator) ? "\(second)" : ""),
                    .mode: ["SSB", "USB", "CW"].randomElement(using: &generator) ?? "",
                    .stationCallsign: ["", "N0X", "N0Y"].randomElement(using: &generator) ?? "",
                ])
        }
    }
}

@Suite struct `Merging duplicates` {
    @Test func `writes on the contact that stays, also where it takes nothing over`() {
        let empty = Record(
            kind: QSOKind.name, id: RecordID(high: 0, low: 1), state: RecordState(), names: Names(),
            schema: QSOKind.schema)
        var merge = ContactMerge(keeping: empty)
        #expect(merge.absorb(empty).isEmpty && merge.differences(to: empty).isEmpty)
        #expect(merge.operations.map(\.field) == [.life] && merge.operations.map(\.code) == [.revive])
    }
}

@Suite struct `Groups of duplicates` {
    /// Ranks by id: the lesser one stays.
    private static func groups(
        _ candidates: [DuplicateCandidate], dismissed: Set<Set<UInt64>> = []
    ) -> [[UInt64]] {
        let pairs = DuplicatePair.all(among: candidates, within: 120).filter {
            !dismissed.contains([$0.first.id.low, $0.second.id.low])
        }
        let ranks = Dictionary(
            uniqueKeysWithValues: candidates.map { candidate in
                (
                    candidate.id,
                    DuplicateRank(isPreferred: false, fieldCount: 0, stamp: Stamp(rawValue: 0), id: candidate.id)
                )
            })
        return DuplicateGroup.all(of: pairs, ranks: ranks) { dismissed.contains([$0.low, $1.low]) }
            .map { [$0.keep.low] + $0.drop.map(\.low) }
    }

    @Test func `three that are one make one group, and the best one stays`() {
        let three = [candidate(3), candidate(1), candidate(2)].compactMap(\.self)
        #expect(Self.groups(three) == [[1, 2, 3]])
    }

    @Test func `of a chain only what is near the one that stays is merged into it`() {
        func chain(_ ids: [UInt64]) -> [DuplicateCandidate] {
            zip(ids, ["120000", "120200", "120400"]).compactMap { candidate($0, [.timeOn: $1]) }
        }
        #expect(Self.groups(chain([1, 2, 3])) == [[1, 2]])
        #expect(Self.groups(chain([2, 1, 3])) == [[1, 2, 3]])
    }

    @Test func `a contact that does not say its station takes in one station, not two`() {
        let contacts = [
            candidate(1), candidate(2, [.stationCallsign: "N0X"]), candidate(3, [.stationCallsign: "N0Y"]),
            candidate(4, [.operator: "N0X"]),
        ].compactMap(\.self)
        #expect(Self.groups(contacts) == [[1, 2, 4]])
    }

    @Test func `a group with two that were dismissed is left out`() {
        let three = [candidate(1), candidate(2), candidate(3)].compactMap(\.self)
        #expect(Self.groups(three, dismissed: [[2, 3]]).isEmpty)
        #expect(Self.groups(three, dismissed: [[1, 2], [1, 3]]) == [[2, 3]])
    }

    @Test func `the one that was asked for stays, then the one with more fields, then the one written first`() {
        func rank(_ isPreferred: Bool, _ count: Int, _ stamp: UInt64, _ id: UInt64) -> DuplicateRank {
            DuplicateRank(
                isPreferred: isPreferred, fieldCount: count, stamp: Stamp(rawValue: stamp),
                id: RecordID(high: 0, low: id))
        }
        let ranks = [
            rank(true, 1, 9, 9), rank(false, 5, 8, 8), rank(false, 4, 1, 7), rank(false, 4, 2, 1), rank(false, 4, 2, 2),
        ]
        #expect(ranks.reversed().sorted() == ranks)
    }

    @Test(arguments: UInt64(1)...60)
    func `hold each contact once at most, the one that stays pairs with all, and do not depend on the order`(
        seed: UInt64
    ) {
        var generator = SeededGenerator(seed: seed)
        let candidates = Duplicates.contacts(40, &generator)
        let groups = Self.groups(candidates)
        #expect(Set(groups.flatMap(\.self)).count == groups.reduce(0) { $0 + $1.count })
        let pairs = Set(
            DuplicatePair.all(among: candidates, within: 120).map { Set([$0.first.id.low, $0.second.id.low]) })
        for group in groups { for other in group.dropFirst() { #expect(pairs.contains([group[0], other])) } }
        #expect(groups == Self.groups(candidates.shuffled(using: &generator)))
    }
}
