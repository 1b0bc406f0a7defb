import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveADIF

@Suite struct `The tables of ADIF` {
    @Test func `field numbers never change`() {
        // Numbers are written to disk by other modules. A failure here is a broken promise, not a test to adapt.
        let frozen: [(FieldName, UInt16)] = [
            (.address, 1), (.aIndex, 12), (.band, 13), (.call, 15), (.comment, 22), (.freq, 50), (.mode, 72),
            (.myGridsquare, 90), (.potaRef, 126), (.qsoDate, 147), (.stationCallsign, 171), (.timeOn, 178),
            (.web, 185), (.wwffRef, 186),
        ]
        for (name, number) in frozen { #expect(name.number == number, "\(name)") }
        #expect(FieldName.maximumNumber == 186)
        let names = FieldName.allKnown.map(\.name)
        #expect(names == names.sorted())
        #expect(FieldTable.hash(names.joined(separator: ",").utf8) == 3_734_428_817)
    }

    @Test func `every known field is found by its name in any case and by its number`() {
        for name in FieldName.allKnown {
            #expect(FieldName(name.name) == name)
            #expect(FieldName(name.name.lowercased()) == name)
            #expect(FieldName(number: name.number) == name)
            #expect(name.dataType != nil)
        }
        #expect(FieldName(number: 0) == nil)
        #expect(FieldName(number: FieldName.maximumNumber + 1) == nil)
    }

    @Test func `a name that is not known is kept in upper case`() {
        let name = FieldName("app_groundwave_note")
        #expect(!name.isKnown && name.isApplicationDefined)
        #expect(name.name == "APP_GROUNDWAVE_NOTE")
        #expect(name == "APP_Groundwave_Note")
        #expect(name.dataType == nil)
    }

    @Test func `header and import-only fields are marked`() {
        #expect(
            FieldName.allKnown.filter(\.isHeaderField).map(\.name) == [
                "ADIF_VER", "CREATED_TIMESTAMP", "PROGRAMID", "PROGRAMVERSION", "USERDEFn",
            ])
        #expect(FieldName.allKnown.filter(\.isImportOnly).map(\.name) == ["GUEST_OP", "VE_PROV"])
        #expect(FieldName("UserDef12").userDefinitionNumber == 12)
        #expect(FieldName("USERDEFX").userDefinitionNumber == nil)
    }

    @Test func `type letters lead to types and back`() {
        for type in FieldDataType.allCases {
            if let indicator = type.indicator { #expect(FieldDataType(indicator: indicator) == type) }
        }
        #expect(FieldDataType(indicator: "d") == .date)
        #expect(FieldDataType(indicator: "X") == nil)
    }

    @Test func `the enumerations have as many values as the standard`() {
        let counts = Dictionary(uniqueKeysWithValues: ADIFEnumeration.allCases.map { ($0, $0.values.count) })
        #expect(counts[.antPath] == 4)
        #expect(counts[.arrlSection] == 90)
        #expect(counts[.contestID] == 256)
        #expect(counts[.credit] == 71)
        #expect(counts[.propagationMode] == 20)
        #expect(counts.values.allSatisfy { $0 > 0 })
        #expect(ADIFEnumeration.award.values.allSatisfy { $0.isImportOnly })
        #expect(ADIFEnumeration.continent.contains("eu"))
        #expect(!ADIFEnumeration.continent.contains("XX"))
    }

    @Test func `DXCC entities know their name, state and subdivisions`() throws {
        #expect(DXCCEntity.all.count == 403)
        #expect(DXCCEntity.all.count(where: \.isDeleted) == 62)
        let entity = try #require(DXCCEntity(code: 291))
        #expect(entity.name == "UNITED STATES OF AMERICA")
        #expect(entity.primarySubdivisions.contains("WI"))
        #expect(DXCCEntity(code: 9_999) == nil)
    }
}

@Suite struct `Bands and frequencies` {
    @Test func `there are the 33 bands of the standard in order`() {
        #expect(Band.allCases.count == 33)
        #expect(Band.allCases.map(\.lowerLimit) == Band.allCases.map(\.lowerLimit).sorted())
        #expect(Band.allCases.allSatisfy { Band(named: $0.name) == $0 && Band(rawValue: $0.rawValue) == $0 })
    }

    @Test func `a band holds its limits and nothing beyond them`() {
        for band in Band.allCases {
            #expect(Band(containing: band.lowerLimit) == band)
            #expect(Band(containing: band.upperLimit) == band)
        }
        #expect(Band(containing: 14_074_000) == .metres20)
        #expect(Band(containing: 13_999_999) == nil)
        #expect(Band(containing: 14_350_001) == nil)
        #expect(Band(containing: -1) == nil)
        #expect(Band(containing: 54_000_000) == .metres6)
        #expect(Band(containing: 54_000_001) == .metres5)
    }

    @Test(arguments: ["20m", "20M", " 20m "])
    func `names of bands are read in any case`(name: String) {
        #expect(Band(named: name) == .metres20)
    }

    @Test(arguments: ["", "20", "20 m", "11m"])
    func `other names are refused`(name: String) {
        #expect(Band(named: name) == nil)
    }

    @Test(arguments: [
        ("14.07400", 14_074_000_000), ("7.033", 7_033_000_000), (".4725", 472_500_000), ("144", 144_000_000_000),
        ("145.", 145_000_000_000), ("0.000000001", 1), ("1.0000000010000", 1_000_000_001), ("0", 0),
        ("7500000", 7_500_000_000_000_000), (" 50.313 ", 50_313_000_000),
    ])
    func `megahertz are read exactly`(text: String, millihertz: Int64) {
        #expect(Frequency(megahertz: text)?.millihertz == millihertz)
    }

    @Test(arguments: [
        "", ".", "-7.1", "+7.1", "7,1", "7.1.2", "7e3", "0.0000000001", "9000001", "99999999999999999999", "7 1",
    ])
    func `what is no frequency is refused`(text: String) {
        #expect(Frequency(megahertz: text) == nil)
    }

    @Test(arguments: UInt64(1)...100)
    func `a frequency is the same after writing and reading`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let millihertz = Int64.random(in: 0...Frequency.maximumHertz * 1_000, using: &random)
        let frequency = try #require(Frequency(millihertz: millihertz))
        #expect(Frequency(megahertz: frequency.megahertzText) == frequency)
    }

    @Test func `frequencies are written with as few digits as are exact`() {
        #expect(Frequency(hertz: 14_074_000).megahertzText == "14.074")
        #expect(Frequency(hertz: 144_000_000).megahertzText == "144")
        #expect(Frequency(hertz: 136_000).megahertzText == "0.136")
    }
}

@Suite struct `Modes` {
    @Test(
        arguments: [
            ("SSB", nil, "SSB", nil), ("usb", nil, "SSB", "USB"), ("LSB", nil, "SSB", "LSB"),
            ("PSK31", nil, "PSK", "PSK31"),
            ("FT4", nil, "MFSK", "FT4"), ("FT8", nil, "FT8", nil), ("PHONE", nil, "SSB", nil),
            ("PHONE", "USB", "SSB", "USB"),
            ("MFSK", "ft4", "MFSK", "FT4"), ("FT4", "FT4", "MFSK", "FT4"), ("FT8", "FT8", "FT8", nil),
            ("DATA", "FT8", "FT8", nil), ("JT65B", nil, "JT65", "JT65B"), ("FT2", nil, "MFSK", "FT2"),
            ("FREEDATA", nil, "DYNAMIC", "FREEDATA"), ("RIBBIT_SMS", nil, "OFDM", "RIBBIT_SMS"),
            ("OFDM", nil, "OFDM", nil),
            ("NewMode", nil, "NEWMODE", nil), ("NewMode", "Sub", "NEWMODE", "SUB"), (nil, "USB", "SSB", "USB"),
            (" cw ", " ", "CW", nil), ("PSK", "PSK31", "PSK", "PSK31"), ("SSB", "odd", "SSB", "ODD"),
        ] as [(String?, String?, String, String?)])
    func `what the fields hold becomes mode and submode`(
        mode: String?, submode: String?, expectedMode: String, expectedSubmode: String?
    ) throws {
        let result = try #require(Mode(mode: mode, submode: submode))
        #expect(result.name == expectedMode)
        #expect(result.submode == expectedSubmode)
    }

    @Test func `nothing in both fields is no mode`() {
        #expect(Mode(mode: nil) == nil)
        #expect(Mode(mode: " ", submode: "") == nil)
    }

    @Test func `the lists are those of 3.1.6 and 3.1.7`() {
        #expect(Mode.currentNames.count == 49)
        #expect(Mode.importOnlyNames.count == 42)
        #expect(Mode.submodes(of: "ofdm") == ["RIBBIT_PIX", "RIBBIT_SMS"])
        #expect(Mode.parent(ofSubmode: "vara hf") == "DYNAMIC")
        #expect(Mode.parent(ofSubmode: "SSB") == nil)
        for name in Mode.importOnlyNames { #expect(Mode(mode: name)?.isCurrent == true, "\(name)") }
    }
}
