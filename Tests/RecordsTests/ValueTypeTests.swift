import Foundation
import GroundwaveRecords
import Testing

@Suite struct `A type of values` {
    @Test(arguments: [
        (ValueType.integer, ["0", "-12", "9223372036854775807"], ["", "+1", "01", "1.0", "9223372036854775808", "٣"]),
        (
            .decimal, ["0", "-0.50", "14.07400"],
            ["", ".5", "5.", "1e3", "00.1", "1,5", String(repeating: "1", count: 39)]
        ),
        (
            .day, ["2024-02-29", "0000-01-01", "9999-12-31"],
            ["2023-02-29", "2024-2-9", "2024-13-01", "2024-00-10", ""]
        ),
        (
            .moment, ["2026-05-01T12:00:00Z", "2026-05-01T23:59:59.123456789Z"],
            [
                "2026-05-01", "2026-05-01T24:00:00Z", "2026-05-01T12:00:00", "2026-05-01T12:00:00.Z",
                "2026-05-01T12:00:00+00:00", "2026-02-30T12:00:00Z", "2026-05-01T12:00:00.1234567890Z",
            ]
        ),
        (.boolean, ["true", "false"], ["TRUE", "1", ""]),
        (
            .record, [String(repeating: "0", count: 26), "7ZZZZZZZZZZZZZZZZZZZZZZZZW"],
            ["", String(repeating: "0", count: 25), String(repeating: "0", count: 25) + "o", "W1AW"]
        ),
        (.choice(["passed", "failed"]), ["passed"], ["Passed", ""]),
        (.text(limit: 3), ["", "abc"], ["abcd", "ää"]),
    ])
    func `accepts what is of it and nothing else`(_ type: ValueType, _ good: [String], _ bad: [String]) {
        for text in good { #expect(type.problem(with: Array(text.utf8)) == nil, "\(text)") }
        for text in bad { #expect(type.problem(with: Array(text.utf8)) != nil, "\(text)") }
        if type != .text(limit: 3) { #expect(type.problem(with: [0xFF, 0xFE]) != nil) }
    }

    @Test func `counts bytes, and refuses text that is not UTF-8`() {
        #expect(ValueType.bytes(limit: 2).problem(with: [0xFF, 0]) == nil)
        #expect(ValueType.bytes(limit: 2).problem(with: [1, 2, 3]) == "has 3 bytes; the maximum is 2")
        #expect(ValueType.text().problem(with: [0xFF]) == "is not text in UTF-8")
        #expect(ValueType.any.problem(with: [0xFF]) == nil)
    }

    /// The calendar of Foundation is the witness.
    @Test func `knows the days of four hundred years`() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        for year in stride(from: 1900, through: 2300, by: 1) {
            for month in 1...12 {
                let first = try #require(calendar.date(from: DateComponents(year: year, month: month)))
                let count = try #require(calendar.range(of: .day, in: .month, for: first)).count
                #expect(CalendarDay(year: year, month: month, day: count) != nil)
                #expect(CalendarDay(year: year, month: month, day: count + 1) == nil)
            }
        }
        let day = try #require(CalendarDay("0099-03-07"))
        #expect("\(day)" == "0099-03-07" && day < CalendarDay("0099-10-01")!)
    }
}
