import Everything
import Groundwave
import GroundwaveMeterProtocols
import GroundwaveMetering
import GroundwaveMeters
import GroundwaveTesting
import Testing

@testable import groundwave_cli

private let start: Int64 = 1_700_000_000_000

private func moment(_ milliseconds: Int64) -> Arrival {
    Arrival(wallMilliseconds: milliseconds, monotonicMilliseconds: milliseconds - start + 7, boot: [])
}

/// Five minutes at 5 V, a row a second: no current, then 2 A, then 1 A. Three rows are missing before row 250.
private let fiveMinutes: TraceRows = {
    let channels = [Channel("voltage", .volt, decimals: 3), Channel("current", .ampere, decimals: 3)]
    var rows = TraceRows(Layout(channels), first: 0)
    rows.times = (0..<300).map { start + 1_000 * Int64($0) + ($0 < 250 ? 0 : 3_000) }
    rows.columns = [.init(repeating: 5_000, count: 300), (0..<300).map { $0 < 100 ? 0 : $0 < 200 ? 2_000 : 1_000 }]
    rows.marks = [Mark(.estimated, before: 250, count: 3)]
    return rows
}()
/// The time of the last of these.
private let last = start + 302_000

@Suite struct `What is shown of a trace while it is recorded` {
    /// The view of a recording of `rows`, which goes on.
    private func view(
        of rows: TraceRows?, drawing channel: String? = nil, named name: String = "bench", minutes: Int = 5,
        _ body: (inout LiveView, TraceRecorder, Store) async throws -> Void
    ) async throws {
        let temporary = try await TemporaryStore(Configuration(components: .all))
        let store = temporary.store
        let meter = try #require(MACAddress("02:00:00:00:00:01"))
        let recorder = try await store.record(meter: meter, model: .um25c, name: name)
        if let rows { try await recorder.append(recorded: rows) }
        try await recorder.flush()
        let trace = try #require(try store.traces().first)
        var view = LiveView(
            trace, try store.summary(of: trace.id), drawing: channel, minutes: minutes, hint: "Ctrl-C ends it.",
            at: moment(rows?.times.last ?? start))
        if let rows { view.take(rows) }
        try await body(&view, recorder, store)
        try await recorder.finish()
    }

    private func text(_ view: LiveView, _ columns: Int, _ rows: Int, at now: Arrival) -> String {
        view.lines(on: Screen.Size(columns: columns, rows: rows), at: now).map(\.content).joined(separator: "\n")
    }

    @Test func `is this on a terminal of 80 columns`() async throws {
        try await view(of: fiveMinutes) { view, _, _ in
            #expect(
                text(view, 80, 24, at: moment(last + 5_000)) == """
                    bench  RDTech UM25C 02:00:00:00:00:01  recording
                    CHANNEL   LAST  LEAST   MEAN  GREATEST  UNIT
                    voltage  5.000  5.000  5.000     5.000  V
                    current  1.000  0.000  1.000     2.000  A
                    charge 82.917 mAh   energy 414.583 mWh   covered 00:04:58   span 00:05:02
                    rows 300   missing 3 in 1 gap (estimated 3)   repeated 0   no rows for 5 s
                    current in A, the last 5 minutes:
                    2.000                       ⡏⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⢹
                                                ⡇                       ⢸⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⢀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀
                                                ⡇
                    0.000 ⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⡇
                    Ctrl-C ends it.
                    """)
        }
    }

    @Test func `is calibrated as the trace is, from the moment on at which that is known, and says so`() async throws {
        try await view(of: fiveMinutes) { view, recorder, store in
            let (two, quarter) = (try #require(DecimalNumber("2")), try #require(DecimalNumber("0.25")))
            let doubled = try #require(ChannelCorrection(factor: two, offset: quarter))
            _ = try await store.calibrate(.trace(recorder.trace), channel: "current", by: doubled)
            let now = moment(last)
            view.take(view.trace, try store.summary(of: recorder.trace), at: now)
            // Values that were drawn before are not mixed with those of now.
            #expect(view.recent?.columns(10, to: last).allSatisfy { $0 == nil } == true)
            try store.forEachPiece(of: recorder.trace) { piece in
                if case .rows(let rows) = piece { view.take(rows) }
                return true
            }
            let lines = text(view, 80, 24, at: now)
            #expect(lines.contains("current  2.250  0.250  2.250     4.250  A"))
            #expect(lines.contains("calibrated: current × 2 + 0.25 A") && lines.contains("\n4.250 "))
            #expect(view.line(at: now).content.contains("current 2.250 A  calibrated: current × 2 + 0.25 A"))
        }
    }

    @Test func `is this on one of 200 columns`() async throws {
        try await view(of: fiveMinutes) { view, _, _ in
            let lines = text(view, 200, 50, at: moment(last + 5_000)).split(
                separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count == 11)
            #expect(
                lines.prefix(4).joined(separator: "\n") == """
                    bench  RDTech UM25C 02:00:00:00:00:01  recording
                    CHANNEL   LAST  LEAST   MEAN  GREATEST  UNIT
                    voltage  5.000  5.000  5.000     5.000  V
                    current  1.000  0.000  1.000     2.000  A
                    """)
            let totals = "charge 82.917 mAh   energy 414.583 mWh   covered 00:04:58   span 00:05:02"
            let rows = "rows 300   missing 3 in 1 gap (estimated 3)   repeated 0   no rows for 5 s"
            #expect(lines[4] == totals + "   " + rows)
            // Of 386 columns of dots, each 778 ms: the current steps at 100 s and 200 s, and a gap is at 250 s.
            func dots(_ count: Int, _ character: Character) -> String { String(repeating: character, count: count) }
            #expect(lines[6] == "2.000 " + dots(59, " ") + "⠈" + dots(64, "⠉"))
            #expect(lines[7] == dots(130, " ") + dots(32, "⣀") + "  " + dots(32, "⣀"))
            #expect(lines[8] == "")
            #expect(lines[9] == "0.000 " + dots(59, "⣀") + "⡀")
            #expect(lines[10] == "Ctrl-C ends it.")
        }
    }

    @Test func `is one line where it is not on a terminal`() async throws {
        try await view(of: fiveMinutes) { view, _, _ in
            let line = "2023-11-14T22:18:22.000Z  300 rows  voltage 5.000 V  current 1.000 A"
            #expect(view.line(at: moment(last)).content == line + "  missing 3 in 1 gap (estimated 3)")
            let silent = line + "  missing 3 in 1 gap (estimated 3)  no rows for 61 s"
            #expect(view.line(at: moment(last + 61_000)).content == silent)
        }
    }

    @Test func `has temperatures in the unit of the meter`() async throws {
        var rows = TraceRows(Layout([Channel("temperature", .celsius, decimals: 1)]), first: 0)
        rows.times = (0..<4).map { start + 1_000 * Int64($0) }
        // 68.0, 77.9, 68.0 and 69.8 degrees Fahrenheit; their mean is 70.925.
        rows.columns = [[200, 255, 200, 210]]
        try await view(of: rows) { view, _, _ in
            #expect(
                text(view, 80, 24, at: moment(rows.times[3])).contains("temperature  21.0   20.0  21.6      25.5  °C"))
            view.temperatureUnit = .fahrenheit
            let shown = text(view, 80, 24, at: moment(rows.times[3]))
            #expect(shown.contains("temperature  69.8   68.0  70.9      77.9  °F"), "\(shown)")
            #expect(shown.contains("temperature in °F, the last 5 minutes:\n77.9 "), "\(shown)")
            #expect(shown.contains("\n68.0 "), "\(shown)")
            #expect(view.line(at: moment(rows.times[3])).content.hasSuffix("  4 rows  temperature 69.8 °F"))
        }
    }

    @Test func `is little before the first row`() async throws {
        try await view(of: nil, named: "a\u{1B}[2Jb") { view, _, _ in
            #expect(
                text(view, 80, 24, at: moment(start)) == """
                    a␛[2Jb  RDTech UM25C 02:00:00:00:00:01  recording
                    No rows yet.
                    rows 0   missing 0 in 0 gaps   repeated 0
                    Ctrl-C ends it.
                    """)
            #expect(view.line(at: moment(start)).content == "0 rows")
        }
    }

    @Test func `is silent three seconds after the last row came, until the next one or the end`() async throws {
        try await view(of: fiveMinutes) { view, recorder, store in
            #expect(view.silence(at: moment(last + 2_999)) == nil)
            #expect(view.silence(at: moment(last + 3_000)) == 3_000)
            // The wall clock may be set: only the steady one counts.
            let later = moment(last + 60_000)
            let set = Arrival(wallMilliseconds: 0, monotonicMilliseconds: later.monotonicMilliseconds, boot: [])
            #expect(view.silence(at: set) == 60_000)
            view.take(view.trace, try store.summary(of: view.trace.id), at: later)
            #expect(view.silence(at: later) == 60_000, "no row is new")
            var next = TraceRows(fiveMinutes.layout, first: 300)
            (next.times, next.columns) = ([last + 60_000], [[5_000], [1_000]])
            try await recorder.append(recorded: next)
            try await recorder.flush()
            view.take(view.trace, try store.summary(of: view.trace.id), at: later)
            #expect(view.silence(at: later) == nil)
            #expect(view.silence(at: moment(last + 70_000)) == 10_000)
        }
    }

    @Test func `is without a silence and the hint behind the end`() async throws {
        let temporary = try await TemporaryStore(Configuration(components: .all))
        let meter = try #require(MACAddress("02:00:00:00:00:01"))
        let recorder = try await temporary.store.record(meter: meter, model: .um25c, name: "bench")
        try await recorder.append(recorded: fiveMinutes)
        try await recorder.finish()
        let trace = try #require(try temporary.store.traces().first)
        let view = LiveView(
            trace, try temporary.store.summary(of: trace.id), hint: "Ctrl-C ends it.", at: moment(last))
        let lines = view.lines(on: .usual, at: moment(last + 90_000)).map(\.content)
        #expect(lines.first == "bench  RDTech UM25C 02:00:00:00:00:01  finished")
        #expect(!lines.contains { $0.contains("no rows for") || $0.contains("Ctrl-C") })
    }

    @Test func `draws the channel that is asked for, and says if there is none`() async throws {
        try await view(of: fiveMinutes, drawing: "voltage", minutes: 1) { view, _, _ in
            let lines = view.lines(on: .usual, at: moment(last)).map(\.content)
            #expect(lines.contains("voltage in V, the last 1 minute:"))
            // A value that does not change is half-way up; nothing is drawn where the rows are missing.
            #expect(lines[7] == "5.000" && lines[9] == "" && lines[10] == "5.000")
            #expect(lines[8].contains(/^ {6}⣀+.? {3,4}.?⣀+.?$/), "\(lines[8])")
        }
        try await view(of: fiveMinutes, drawing: "curent") { view, _, _ in
            #expect(view.lines(on: .usual, at: moment(last)).map(\.content).contains("There is no channel curent."))
        }
    }

    @Test func `fits on a terminal of any size`() async throws {
        try await view(of: fiveMinutes) { view, _, _ in
            for columns in Array(1...12) + [20, 33, 40, 56, 79, 80, 81, 200] {
                for rows in [1, 2, 3, 5, 8, 13, 17, 24] {
                    let size = Screen.Size(columns: columns, rows: rows)
                    let lines = view.lines(on: size, at: moment(last + 5_000))
                    #expect(lines.count <= rows && lines[0].content.hasPrefix("bench"))
                    var (screen, terminal) = (Screen(), VirtualTerminal(columns: columns, rows: rows))
                    for _ in 1...2 { terminal.take(screen.draw(lines, on: size)) }
                    #expect(terminal.overflowCount == 0 && terminal.scrolled.isEmpty)
                }
            }
        }
    }
}

@Suite struct `A running line` {
    @Test func `has two columns of four dots in each character`() {
        #expect(BrailleChart.lines([0...0, 3...3, 1...2, nil, nil, nil, 0...3], rows: 1, in: 0...3) == ["⡈⠆ ⡇"])
        #expect(BrailleChart.lines([0...7, 4...4], rows: 2, in: 0...7) == ["⣇", "⡇"])
        #expect(BrailleChart.lines([5...5, nil, nil], rows: 1, in: 5...5) == ["⠂ "])
        #expect(BrailleChart.lines([], rows: 2, in: 0...1) == ["", ""])
    }

    @Test(arguments: UInt64(1)...20)
    func `has the least and the greatest value of each column, and nothing in gaps`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        // A step is a millisecond.
        let span: Int64 = 2_000
        var recent = RecentValues(of: "current", span: span)
        let layout = Layout([Channel("voltage", .volt, decimals: 0), Channel("current", .ampere, decimals: 1)])
        var (times, values, gaps) = ([Int64](), [Int64](), Set<Int>())
        var time = start + Int64.random(in: 0...1_000, using: &generator)
        while times.count < 600 {
            var rows = TraceRows(layout, first: UInt64(times.count))
            for row in 0..<Int.random(in: 1...40, using: &generator) {
                let isGap = generator.chance(0.03)
                if isGap {
                    gaps.insert(times.count)
                    rows.marks.append(Mark(.gap, before: row, count: 1))
                }
                time += Int64.random(in: isGap ? 60...500 : 0...12, using: &generator)
                times.append(time)
                values.append(Int64.random(in: -99...99, using: &generator))
                rows.times.append(time)
                rows.columns[0].append(5)
                rows.columns[1].append(values[values.count - 1])
            }
            recent.take(rows)
            // What was taken already is not taken again.
            if generator.chance(0.2) { recent.take(rows) }
        }
        for count in [1, 7, 40, 146, 386] {
            let end = time + Int64.random(in: 0...300, using: &generator)
            #expect(recent.columns(count, to: end) == Self.model(times, values, gaps, count, span, end), "\(count)")
        }
    }

    @Test func `is broken also if the row behind the gap does not have the channel`() {
        let amperes = Layout([Channel("current", .ampere, decimals: 0)])
        let volts = Layout([Channel("voltage", .volt, decimals: 0)])
        for isGap in [false, true] {
            var recent = RecentValues(of: "current", span: 1_000)
            for (number, time) in [start, start + 300, start + 600].enumerated() {
                var rows = TraceRows(number == 1 ? volts : amperes, first: UInt64(number))
                (rows.times, rows.columns) = ([time], [[7]])
                if number == 1, isGap { rows.marks = [Mark(.estimated, before: 0, count: 2)] }
                recent.take(rows)
            }
            let value = isGap ? nil : 7.0...7.0
            #expect(recent.columns(10, to: start + 600).suffix(7) == [7...7, value, value, value, value, value, 7...7])
        }
    }

    /// What each column has: looked for from the column's side.
    private static func model(
        _ times: [Int64], _ values: [Int64], _ gaps: Set<Int>, _ count: Int, _ span: Int64, _ end: Int64
    ) -> [ClosedRange<Double>?] {
        var width: Int64 = 1
        while width * Int64(count) < span { width += 1 }
        let last = end / width
        return (0..<count).map { column in
            let from = (last - Int64(count - 1 - column)) * width
            let inside = times.indices.filter { times[$0] >= from && times[$0] < from + width }
            if let least = inside.map({ values[$0] }).min(), let greatest = inside.map({ values[$0] }).max() {
                return Double(least) / 10...Double(greatest) / 10
            }
            guard let before = times.lastIndex(where: { $0 < from }), before + 1 < times.count,
                !gaps.contains(before + 1)
            else { return nil }
            return Double(values[before]) / 10...Double(values[before]) / 10
        }
    }
}
