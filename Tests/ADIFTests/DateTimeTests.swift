import Foundation
import Testing

@testable import GroundwaveADIF

@Suite struct `Dates and times` {
    private func fields(_ pairs: (FieldName, String)...) -> ADIFFields {
        ADIFFields(pairs.map { ADIFField($0.0, $0.1) })
    }

    @Test(arguments: [("0000", 1_767_225_600), ("1200", 1_767_268_800), ("120005", 1_767_268_805)])
    func `date and time become seconds since 1970`(time: String, seconds: Int64) throws {
        let moment = try #require(ADIFDateTime(start: fields((.qsoDate, "20260101"), (.timeOn, time))))
        #expect(moment.unixSeconds == seconds)
    }

    @Test(arguments: ["19300101", "20240229", "20000229", "99991231"])
    func `a date of the calendar is read`(text: String) {
        #expect(ADIFDate(Array(text.utf8)[...])?.text == text)
    }

    @Test(arguments: [
        "19291231", "20230229", "19000229", "20261301", "20260100", "2026010", "202601011", "2026-1-1", "",
    ])
    func `what is no date is refused`(text: String) {
        #expect(ADIFDate(Array(text.utf8)[...]) == nil)
    }

    @Test(arguments: ["0000", "2359", "235959", "000000"])
    func `a time of day is read and keeps its number of digits`(text: String) {
        #expect(ADIFTime(Array(text.utf8)[...])?.text == text)
    }

    @Test(arguments: ["2400", "1260", "120060", "12", "12000", "12:00", "-100", ""])
    func `what is no time is refused`(text: String) {
        #expect(ADIFTime(Array(text.utf8)[...]) == nil)
    }

    @Test func `every day from 1930 to 2130 agrees with the calendar of Foundation`() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "GMT"))
        for days in stride(from: -14_610, to: 58_000, by: 7) {
            let date = ADIFDate(daysSince1970: days)
            let parts = calendar.dateComponents(
                [.year, .month, .day], from: Date(timeIntervalSince1970: Double(days) * 86_400))
            #expect([date.year, date.month, date.day] == [parts.year, parts.month, parts.day])
            #expect(date.daysSince1970 == days)
        }
    }

    @Test(arguments: [Int64(-1), 0, 86_399, 86_400, 1_767_225_599, 4_102_444_800])
    func `seconds become a moment and back`(seconds: Int64) {
        #expect(ADIFDateTime(unixSeconds: seconds).unixSeconds == seconds)
    }

    @Test func `a contact that ends after midnight ends on the next date`() throws {
        let record = fields((.qsoDate, "20261231"), (.timeOn, "235900"), (.timeOff, "0001"))
        #expect(ADIFDateTime(end: record)?.date.text == "20270101")
        let sameMinute = fields((.qsoDate, "20261231"), (.timeOn, "120030"), (.timeOff, "1200"))
        #expect(ADIFDateTime(end: sameMinute)?.date.text == "20261231")
        let explicit = fields((.qsoDate, "20261231"), (.timeOn, "1200"), (.qsoDateOff, "20270102"), (.timeOff, "0001"))
        #expect(ADIFDateTime(end: explicit)?.date.text == "20270102")
        #expect(ADIFDateTime(end: fields((.timeOff, "0001"))) == nil)
    }
}
