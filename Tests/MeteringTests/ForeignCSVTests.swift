import Foundation
import GroundwaveMetering
import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveTraceFiles

/// A file of another program that was read: its plan, its rows and what was left out.
private struct ReadFile {
    var plan: ForeignPlan
    var rows: TraceRows
    var leftOut: ForeignLeftOut

    init(_ text: String, _ survey: ForeignSurvey, start: Int64 = 0, pieceLength: Int = 1000) throws {
        let pieces = Array(text.utf8).chunks(of: pieceLength)
        var survey = survey
        for piece in pieces { try survey.append(piece) }
        plan = try survey.finish()
        var reader = ForeignCSVReader(plan, start: start)
        rows = TraceRows(plan.layout, first: 0)
        var runs = try pieces.flatMap { try reader.append($0) }
        runs.append(try reader.finish())
        for run in runs {
            let isOfLayout = rows.append(run)
            #expect(isOfLayout)
        }
        leftOut = reader.leftOut
    }

    init(_ text: String, time: String?, _ channels: String..., rate: Double? = nil, start: Int64 = 0) throws {
        var mapping = TraceMapping()
        mapping.times = try time.map { [try TimeColumn($0)] } ?? []
        mapping.channels = try channels.map { try ChannelColumn($0) }
        mapping.rate = rate
        try self.init(text, ForeignSurvey(mapping), start: start)
    }

    /// The values of a channel as exact decimals; `nil` where a row has none.
    func values(_ name: String) throws -> [String?] {
        let index = try #require(plan.layout.channels.firstIndex { $0.name == name })
        let channel = plan.layout.channels[index]
        return rows.columns[index].indices.map { row in
            rows.has(index, at: row)
                ? "\(Decimal(rows.columns[index][row]) / pow(10, channel.decimals)) \(channel.unit.rawValue)" : nil
        }
    }
}

extension [UInt8] {
    fileprivate func chunks(of length: Int) -> [[UInt8]] {
        stride(from: 0, to: count, by: length).map { Array(self[$0..<Swift.min(count, $0 + length)]) }
    }
}

@Suite struct `CSV of other programs` {
    @Test func `of the Joulescope UI is read by its recipe, with charge in Ah and energy in Wh`() throws {
        let text = """
            #time,current,voltage,power,charge,energy
            0.0,0.5,4.74572,1.89553,0,0
            0.5,4.0e-05,4.74479,1.90114,0.18,0.950568
            1.0,0.399392,4.74555,1.89532,36,3600

            """
        let file = try ReadFile(text, ForeignSurvey(), start: 1_000)
        #expect(file.plan.recipe?.name == "joulescope" && file.plan.isDated == false)
        #expect(file.rows.times == [1_000, 1_500, 2_000])
        #expect(try file.values("current") == ["0.5 A", "0.00004 A", "0.399392 A"])
        // 0.18 C are 0.00005 Ah, 36 C are 0.01 Ah; 0.950568 J are 0.000264046(6) Wh.
        #expect(try file.values("charge") == ["0 Ah", "0.00005 Ah", "0.01 Ah"])
        #expect(try file.values("energy") == ["0 Wh", "0.000264047 Wh", "1 Wh"])
        #expect(file.leftOut.roundedValues == [0, 0, 0, 0, 1])
    }

    @Test func `of rd-usb is read by its recipe, and the columns that are no channel are named`() throws {
        let text = """
            Time,Voltage (V),Current (A),Power (W),Temperature (°C),Data+ (V),Data- (V),Resistance (Ω),\
            Accumulated current (mAh),Accumulated power (mWh),Accumulated time (seconds),Run time,Unix time\r
            2026-05-01 14:00:00,5.09,0.402,2.046,27,2.7,2.69,12.6,12,61,40,00:00:40,1777636800.25\r
            2026-05-01 14:00:01,5.1,0.4,2.04,27,2.7,2.69,12.7,13,62,41,00:00:41,1777636801\r

            """
        let file = try ReadFile(text, ForeignSurvey())
        #expect(file.plan.recipe?.name == "rd-usb" && file.plan.isDated)
        #expect(file.rows.times == [1_777_636_800_250, 1_777_636_801_000])
        #expect(try file.values("voltage") == ["5.09 V", "5.1 V"])
        #expect(try file.values("charge") == ["0.012 Ah", "0.013 Ah"])
        #expect(try file.values("energy") == ["0.061 Wh", "0.062 Wh"])
        #expect(try file.values("resistance") == ["12.6 Ohm", "12.7 Ohm"])
        #expect(file.plan.unusedColumns == ["Time", "Accumulated time (seconds)", "Run time"])
    }

    @Test func `of km003c-rs is read by its recipe, to the microvolt`() throws {
        let text = """
            elapsed_us,sample_index,sequence,marker,vbus_uv,ibus_ua,power_uw,charge_uah,cc1_uv
            0,0,42,7,5082025,-210,-1067,-0.000058,67000
            1000,1,43,7,5082026,210,1067,0,67000

            """
        let file = try ReadFile(text, ForeignSurvey())
        #expect(file.plan.recipe?.name == "km003c" && file.rows.times == [0, 1])
        #expect(try file.values("voltage") == ["5.082025 V", "5.082026 V"])
        #expect(try file.values("current") == ["-0.00021 A", "0.00021 A"])
        #expect(try file.values("marker") == ["7 ", "7 "])
        // -0.000058 uAh are less than half of a billionth of an Ah.
        #expect(try file.values("charge") == ["0 Ah", "0 Ah"])
        #expect(file.plan.unusedColumns == ["sample_index", "sequence"])
    }

    @Test func `of TC66C.py is read by its recipe, with blanks and zeros in front of numbers`() throws {
        let text = """
            Time[S],Volt[V],Current[A],Power[W],Res[Ohm],G0[mAh],G0[mWh],G1[mAh],G1[mWh],Temp[C],D+[V],D-[V]
              0.0,05.1384,0.00010,00.0005, 5.00,    12,    60,     0,     0,+27,0.01,0.02
              1.0,05.1380,-0.00010,00.0005, 5.10,    13,    61,     0,     0, -3,0.01,0.02

            """
        let file = try ReadFile(text, ForeignSurvey())
        #expect(file.plan.recipe?.name == "tc66c" && file.rows.times == [0, 1000])
        #expect(try file.values("voltage") == ["5.1384 V", "5.138 V"])
        #expect(try file.values("current") == ["0.0001 A", "-0.0001 A"])
        #expect(try file.values("temperature") == ["27 C", "-3 C"])
        #expect(try file.values("group0.charge") == ["0.012 Ah", "0.013 Ah"])
        #expect(file.plan.unusedColumns.isEmpty)
    }

    @Test func `of sigrok is read below its comments, and two columns of volts are two channels`() throws {
        let text = """
            ; CSV generated by libsigrok 0.5.2
            ; from Demo driver and pattern generator on Wed Nov 25 14:15:41 2026
            ; Channels (2/2): A0, A1
            ; Samplerate: 10 kHz
            microseconds,V DC,V DC
            100,-10,0
            200,-10,3.09017
            300,-10,5.87785

            """
        let file = try ReadFile(text, ForeignSurvey(), start: 5)
        #expect(file.plan.recipe?.name == "sigrok")
        #expect(file.rows.times == [5, 5, 5] && file.rows.ticks == [0, 100, 200])
        #expect(file.plan.layout.tick?.hertz == 1_000_000)
        #expect(try file.values("voltage") == ["-10 V", "-10 V", "-10 V"])
        let second = try file.values("voltage2")
        #expect(second == ["0 V", "3.09017 V", "5.87785 V"])
    }

    @Test func `is read by the named columns, in their units, whatever separates them`() throws {
        for (delimiter, point) in [(",", "."), (";", "."), (";", ","), ("\t", ","), (" ; ", ".")] {
            let table = [
                ["When", "I", "\"U, measured\"", "T"], ["0.1", "1500", "12.5", "68"], ["0.2", "-0.5", "\"7\"", "32"],
                ["1.0", "", "1e1", "nan"],
            ]
            let text = table.map { row in
                row.map { $0.first?.isLetter == true || $0.contains("U") ? $0 : $0.replacing(".", with: point) }
                    .joined(separator: delimiter)
            }.joined(separator: "\n")
            let file = try ReadFile(
                "\u{FEFF}" + text, time: "When:min", "current=I:mA", "voltage=U, measured", "temperature=T:F")
            #expect(file.rows.times == [6_000, 12_000, 60_000], "\(delimiter)")
            #expect(try file.values("current") == ["1.5 A", "-0.0005 A", nil])
            #expect(try file.values("voltage") == ["12.5 V", "7 V", "10 V"])
            #expect(try file.values("temperature") == ["20 C", "0 C", nil])
        }
    }

    @Test func `without a header is read by the numbers of its columns`() throws {
        let text = "made by hand\n\n0,00;5,13840;0,0001\n0,10;5,13840;0,0002\n"
        let file = try ReadFile(text, time: "1", "voltage=2", "current=3:A", start: 60_000)
        #expect(file.rows.times == [60_000, 60_100] && file.plan.columns == ["2", "3"])
        #expect(try file.values("voltage") == ["5.1384 V", "5.1384 V"])
        #expect(try file.values("current") == ["0.0001 A", "0.0002 A"])
    }

    @Test func `without times has rows at a rate, and no gaps`() throws {
        let file = try ReadFile("Rec,Volt[V]\n 1,05.1\n 2,05.2\n 3,05.3\n", time: nil, "voltage=Volt[V]", rate: 2)
        #expect(file.rows.times == [0, 500, 1000] && file.rows.marks.isEmpty)
    }

    static let dates: [(text: String, milliseconds: Int64?)] = [
        ("2026-05-01 12:00:00", 1_777_636_800_000), ("2026-05-01T12:00:00Z", 1_777_636_800_000),
        ("2026/05/01 12:00:00.5", 1_777_636_800_500), ("2026-05-01T14:00:00.25+02:00", 1_777_636_800_250),
        ("2026-05-01 06:30-0530", 1_777_636_800_000), ("2026-05-01T12:00:00.123456789", 1_777_636_800_123),
        ("2026-02-30 12:00:00", nil), ("2026-05-01", nil), ("2026-05-01 12", nil), ("2026-05/01 12:00:00", nil),
        ("2026-05-01 24:00:00", nil), ("2026-05-01 12:60:00", nil), ("2026-05-01 12:00:00 CET", nil),
        ("12:00:00", nil), ("0001-01-01 00:00:00", nil), ("", nil),
    ]

    @Test(arguments: dates) func `has times as dates`(text: String, milliseconds: Int64?) throws {
        let first = "1970-01-01 00:00:00;1\n"
        let file = try ReadFile("t;v\n\(first)\(text);2\n", time: "t:date", "voltage=v")
        #expect(file.rows.times.dropFirst().first == milliseconds, "\(text)")
        #expect(file.leftOut.withoutTime == (milliseconds == nil ? 1 : 0))
    }

    static let numbers: [(text: String, unit: String, value: String?)] = [
        ("1.25", "mV", "0.00125"), ("+0005.10", "V", "5.1"), ("-.5", "V", "-0.5"), ("5.", "V", "5"),
        ("1e3", "uV", "0.001"), ("1E-3", "kV", "1"), ("2.5e+2", "V", "250"), ("273.15", "K", "0"),
        ("0.0000000005", "V", "0"), ("0.0000000015", "V", "0.000000002"), ("0.0000000025", "V", "0.000000002"),
        ("-0.00000000151", "V", "-0.000000002"), ("9223372036854775807", "none", "9223372036854775800"),
        ("1e18", "V", "1000000000000000000"), ("1e400", "V", nil), ("1e-400", "V", "0"), ("0e400", "V", "0"),
        ("1e19", "V", nil), ("-1e19", "V", nil), ("1,5", "V", nil), ("1.2.3", "V", nil), ("0x10", "V", nil),
        ("1e", "V", nil), ("1e1000", "V", nil), ("five", "V", nil), ("12 V", "V", nil), ("--5", "V", nil),
    ]

    // Digits behind the eighteenth are dropped.
    @Test(arguments: numbers) func `has numbers in many forms`(text: String, unit: String, value: String?) throws {
        let file = try ReadFile("t,x,y\n0,\"\(text)\",1\n", time: "t", "x=x:\(unit)", "y=y")
        let found = try file.values("x")[0]?.split(separator: " ").first.map(String.init)
        #expect(found == value)
        #expect(file.leftOut.wrongValues[0] == (value == nil ? 1 : 0), "\(text)")
    }

    @Test func `says what it leaves out, and leaves nothing else out`() throws {
        let text = """
            t,v,i
            1,5,1
            # a remark
            2,,
            3,five,1
            2.5,5,1
            4,5,one

            5,6,1

            """
        let file = try ReadFile(text, time: "t", "voltage=v", "current=i")
        #expect(file.rows.times == [1000, 3000, 4000, 5000])
        #expect(try file.values("voltage") == ["5 V", nil, "5 V", "6 V"])
        #expect(try file.values("current") == ["1 A", "1 A", nil, "1 A"])
        #expect(file.leftOut.withoutTime == 1 && file.leftOut.withoutValues == 1 && file.leftOut.earlier == 1)
        #expect(file.leftOut.wrongValues == [1, 1] && file.leftOut.roundedValues == [0, 0])
        #expect(file.plan.leftOut.withoutTime == 1 && file.plan.leftOut.earlier == 1)
    }

    @Test func `has a mark where rows are missing by its own times`() throws {
        // Ten rows a second; five are missing behind the twentieth, and the rate is another from the sixtieth on.
        let times = (0..<40).map { $0 * 100 + ($0 < 20 ? 0 : 500) } + (1...40).map { 4400 + $0 * 500 }
        let text = "t,v\n" + times.map { "\($0),5\n" }.joined()
        let file = try ReadFile(text, time: "t:ms", "voltage=v")
        #expect(file.rows.times == times.map(Int64.init))
        #expect(file.rows.marks.first == Mark(.estimated, before: 20, count: 5))
        #expect(file.rows.marks.contains { $0.kind == .rate && $0.count == 500 })
        let missing = file.rows.marks.filter { $0.kind.isGap }.reduce(0) { $0 + $1.count }
        #expect(missing == 5, "a new rate is no gap")
    }

    @Test func `whose rows are closer than milliseconds has a counter, and its gaps are those of the counter`() throws {
        let places = (0..<200).filter { !(100..<110).contains($0) }
        let text = "t,v\n" + places.map { "\(Double($0) / 4000),1\n" }.joined()
        let file = try ReadFile(text, time: "t", "current=v")
        #expect(file.rows.ticks == places.map { Int64($0) * 250 })
        #expect(file.rows.marks == [Mark(.estimated, before: 100, count: 10)])
    }

    @Test(arguments: UInt64(1)...200)
    func `gives the numbers that were written, however it is written and cut`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let made = MadeUpTable(&numbers)
        var mapping = TraceMapping()
        mapping.times = [try TimeColumn("time:ms")]
        mapping.channels = try made.channels.map { try ChannelColumn($0) }
        let length = Int.random(in: 1...3000, using: &numbers)
        let file = try ReadFile(made.text, ForeignSurvey(mapping), pieceLength: length)
        #expect(file.rows.times == made.times)
        for (index, values) in made.values.enumerated() {
            // In billionths, as the values that were made are in millionths.
            let factor = made.power(9 - file.plan.layout.channels[index].decimals)
            let read = file.rows.columns[index].indices.map { row in
                file.rows.has(index, at: row) ? file.rows.columns[index][row] * factor : nil
            }
            #expect(read == values.map { $0.map { $0 * 1000 } })
        }
        let whole = try ReadFile(made.text, ForeignSurvey(mapping), pieceLength: 1 << 20)
        #expect(whole.rows == file.rows && whole.leftOut == file.leftOut)
    }

    static let captures:
        [(file: String, time: String?, channels: [(name: String, column: String, index: Int, decimals: Int)])] = [
            ("tc66c-10hz-phone-2h.csv", "1:s", [("voltage", "2:V", 1, 5), ("current", "3:A", 2, 6)]),
            (
                "km003c-adc-poll-pd-session.csv", "host_time_s:s",
                [("voltage", "vbus_uV:uV", 1, 6), ("current", "ibus_uA:uA", 2, 6)]
            ),
            (
                "km003c-offline-log-10s.csv", nil,
                [("charge", "charge_uAh:uAh", 3, 6), ("energy", "energy_uWh:uWh", 4, 6)]
            ),
        ]

    @Test(.enabled(if: Captures.folder != nil, "\(Captures.reason)"), arguments: 0..<captures.count)
    func `of real meters has all rows with all their digits`(number: Int) throws {
        let (name, time, channels) = Self.captures[number]
        let folder = try #require(Captures.folder)
        let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
        var mapping = TraceMapping()
        mapping.times = try time.map { [try TimeColumn($0)] } ?? []
        mapping.channels = try channels.map { try ChannelColumn("\($0.name)=\($0.column)") }
        mapping.rate = time == nil ? 0.1 : nil
        let file = try ReadFile(text, ForeignSurvey(mapping), pieceLength: 1 << 18)
        // The witness cuts at the separators, moves the point, and knows nothing else.
        let separator: Character = text.contains(";") ? ";" : ","
        let lines = text.split(whereSeparator: \.isNewline).drop { $0.first?.isLetter == true }
        #expect(file.rows.count == lines.count && file.leftOut.withoutTime == 0 && file.leftOut.earlier == 0)
        for (channel, column) in zip(channels, file.rows.columns) {
            let expected = lines.map { line in
                let field = line.split(separator: separator)[channel.index]
                return Int64(field.filter { $0 != "." })
            }
            #expect(column.map(Optional.some) == expected, "\(channel.name)")
            #expect(file.plan.layout.channels.first { $0.name == channel.name }?.decimals == channel.decimals)
        }
    }

    @Test func `is refused where it is no text, has other columns, or no rows`() throws {
        func failure(_ text: String, _ survey: ForeignSurvey) -> ForeignCSVError? {
            do {
                _ = try ReadFile(text, survey)
                return nil
            } catch { return error as? ForeignCSVError }
        }
        var mapping = TraceMapping()
        mapping.times = [try TimeColumn("t")]
        mapping.channels = [try ChannelColumn("voltage=v")]
        let survey = ForeignSurvey(mapping)
        #expect(failure("t\0,\0v\0", survey) == .noText)
        #expect(failure("t,w\n1,2\n", survey) == .columns(wanted: ["t", "v"], found: ["t", "w"]))
        #expect(failure("t,v\nx,y\n", survey) == .noRows && failure("t,v\n", survey) == .noRows)
        #expect(failure("", survey) == .columns(wanted: ["t", "v"], found: []))
        #expect(failure("a,b\n1,2\n", ForeignSurvey()) == .columns(wanted: [], found: ["a", "b"]))
        #expect(
            failure("t,v\n" + String(repeating: "1", count: 70_000), survey)
                == .lineTooLong(line: 2, limit: CSVLines.byteLimit))
    }

    @Test func `is refused where it is not the file any more that was surveyed`() throws {
        var mapping = TraceMapping()
        mapping.times = [try TimeColumn("t")]
        mapping.channels = [try ChannelColumn("voltage=v")]
        var survey = ForeignSurvey(mapping)
        try survey.append(Array("t,v\n1,5\n2,5\n".utf8))
        let plan = try survey.finish()
        for text in ["t,v\n1,5\n", "t,v\n1,5\n2,5\n3,5\n", "t,v\n1,5\n2,5\nx,5\n"] {
            var reader = ForeignCSVReader(plan, start: 0)
            _ = try reader.append(Array(text.utf8))
            #expect(throws: ForeignCSVError.changed) { try reader.finish() }
        }
    }

    @Test func `needs a name, a column and a unit that are known`() throws {
        #expect(throws: MappingError.noColumn("voltage")) { try ChannelColumn("voltage") }
        #expect(throws: MappingError.name("a b")) { try ChannelColumn("a b=2") }
        #expect(throws: MappingError.empty("voltage=")) { try ChannelColumn("voltage=") }
        #expect(throws: MappingError.empty(":ms")) { try TimeColumn(":ms") }
        // What no unit is belongs to the name of the column.
        #expect(try ChannelColumn("voltage=U:main").column == .name("U:main"))
        #expect(try ChannelColumn("voltage=U:mV").unit.power == -3)
        #expect(try TimeColumn("a:b:us").column == .name("a:b"))
    }
}
