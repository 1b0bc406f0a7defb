/// Which country a call belongs to, by a file that the operator has: `cty.dat` or `cty.csv` of country-files.com (AD1C).
///
/// Source: the description of the formats on country-files.com. Both list prefixes; a call belongs to the longest one that it
/// begins with. `=` before a word makes it a call in full, `(…)` behind it gives another CQ zone, `[…]` another ITU zone, `{…}`
/// another continent. `*` before the main prefix is a country of another list than DXCC.
package struct CountryFile: Sendable {
    /// A country of the file.
    package struct Country: Sendable, Hashable {
        /// The name, as the file has it.
        package let name: String
        /// The number of the DXCC entity; `nil` if the file does not say it, as `cty.dat` does not.
        package let number: Int?
        /// Whether it is on the DXCC list by itself.
        package let isEntity: Bool
    }

    /// Where a station is.
    package struct Place: Sendable, Hashable {
        /// Its country.
        package let country: Country
        /// Its CQ zone, 1 to 40; `nil` if the file has none.
        package let cqZone: Int?
        /// Its ITU zone, 1 to 90; `nil` if the file has none.
        package let ituZone: Int?
        /// Its continent, such as `EU`.
        package let continent: String
    }

    /// Why a file is none of countries.
    package struct Problem: Error, Hashable {
        /// What is wrong with it, as a sentence.
        package let message: String
    }

    /// The largest file that is read, in bytes; those of 2026 have a tenth of it.
    package static let byteLimit = 4 << 20

    private var prefixes: [String: Place] = [:]
    private var calls: [String: Place] = [:]
    private var longestPrefix = 0
    /// The number of countries.
    package private(set) var count = 0

    /// Reads a file of either format.
    ///
    /// - Throws: ``Problem`` if it is neither, or larger than ``byteLimit``.
    /// - Complexity: 18 ms for a file of 30,000 words.
    package init(_ bytes: [UInt8]) throws(Problem) {
        guard bytes.count <= Self.byteLimit else { throw Problem(message: "It is larger than 4 MiB.") }
        var bytes = bytes[...]
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        let text = bytes.filter { $0 != 0x0D && $0 != 0x0A }
        // The first separator shows the format: a name and a colon, or a prefix and a comma.
        let isTable = text.first { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ",") } == UInt8(ascii: ",")
        for entry in text.split(separator: UInt8(ascii: ";")) where !entry.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) {
            try isTable ? readRow(entry) : readCountry(entry)
        }
        guard count > 0 else { throw Problem(message: "It has no country.") }
    }

    /// Reads a country of `cty.csv`: main prefix, name, number, continent, CQ and ITU zone, latitude, longitude, hours from UTC,
    /// words separated by blanks.
    private mutating func readRow(_ row: ArraySlice<UInt8>) throws(Problem) {
        let cells = row.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map(Self.text)
        guard cells.count == 10, let number = Int(cells[2]), (0...9999).contains(number) else {
            throw problem("ten values separated by commas")
        }
        let country = Country(name: cells[1], number: number, isEntity: !cells[0].hasPrefix("*"))
        try insert(
            country, cqZone: cells[4], ituZone: cells[5], continent: cells[3], cells[9].split(separator: " "))
    }

    /// Reads a country of `cty.dat`: name, CQ and ITU zone, continent, latitude, longitude, hours from UTC, main prefix, each with
    /// a colon behind it; words separated by commas.
    private mutating func readCountry(_ entry: ArraySlice<UInt8>) throws(Problem) {
        let cells = entry.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map(Self.text)
        guard cells.count == 9 else { throw problem("eight values with a colon behind each") }
        let country = Country(name: cells[0], number: nil, isEntity: !cells[7].hasPrefix("*"))
        let words = cells[8].split { $0 == "," || $0 == " " }
        try insert(country, cqZone: cells[1], ituZone: cells[2], continent: cells[3], words)
    }

    private func problem(_ expected: String) -> Problem {
        Problem(message: "Country \(count + 1) does not have \(expected).")
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        let start = bytes.drop { $0 == 0x20 || $0 == 0x09 }
        var end = start
        while let last = end.last, last == 0x20 || last == 0x09 { end.removeLast() }
        return String(decoding: end, as: UTF8.self)
    }

    private mutating func insert(
        _ country: Country, cqZone: String, ituZone: String, continent: String, _ words: [Substring]
    ) throws(Problem) {
        guard !country.name.isEmpty, Self.isContinent(continent) else { throw problem("a name and a continent") }
        count += 1
        let place = Place(
            country: country, cqZone: Self.zone(cqZone, 40), ituZone: Self.zone(ituZone, 90), continent: continent)
        for word in words { insert(word, place) }
    }

    /// Reads a word such as `=K1ABC(4)[7]{NA}`.
    private mutating func insert(_ word: Substring, _ place: Place) {
        let isCall = word.utf8.first == UInt8(ascii: "=")
        let rest = isCall ? word.dropFirst() : word
        let marks = [UInt8](rest.utf8)
        let end = marks.firstIndex { "([<{~".utf8.contains($0) } ?? marks.count
        let name = String(decoding: marks[..<end], as: UTF8.self).uppercased()
        guard !name.isEmpty, name.utf8.count <= 20 else { return }
        let own = end == marks.count ? place : Self.corrected(place, by: marks[end...])
        if isCall {
            calls[name] = own
        } else {
            prefixes[name] = own
            longestPrefix = max(longestPrefix, name.utf8.count)
        }
    }

    /// Returns `place` with what the marks behind a word say.
    private static func corrected(_ place: Place, by marks: ArraySlice<UInt8>) -> Place {
        func inner(_ open: UInt8, _ close: UInt8) -> String? {
            guard let start = marks.firstIndex(of: open), let end = marks[start...].firstIndex(of: close) else {
                return nil
            }
            return String(decoding: marks[(start + 1)..<end], as: UTF8.self)
        }
        let continent = inner(UInt8(ascii: "{"), UInt8(ascii: "}"))?.uppercased()
        return Place(
            country: place.country,
            cqZone: inner(UInt8(ascii: "("), UInt8(ascii: ")")).flatMap { zone($0, 40) } ?? place.cqZone,
            ituZone: inner(UInt8(ascii: "["), UInt8(ascii: "]")).flatMap { zone($0, 90) } ?? place.ituZone,
            continent: continent.flatMap { isContinent($0) ? $0 : nil } ?? place.continent)
    }

    private static func zone(_ text: String, _ last: Int) -> Int? {
        guard let zone = Int(text), (1...last).contains(zone) else { return nil }
        return zone
    }

    private static func isContinent(_ text: String) -> Bool {
        ["AF", "AN", "AS", "EU", "NA", "OC", "SA"].contains(text)
    }

    // MARK: - Calls

    /// Returns where a station is; `nil` if its call says nothing of it, as at sea (`/MM`) and in the air (`/AM`).
    ///
    /// What stands before or behind a call names the place where it is used: DL/W1AW and W1AW/KH6. W1AW/4 is in the fourth call
    /// area; other single letters and words such as QRP say nothing.
    package func place(of call: String) -> Place? {
        let call = call.uppercased()
        if let place = calls[call] { return place }
        var parts = call.split(separator: "/").map(String.init)
        if parts.count > 1, parts.contains("MM") || parts.contains("AM") { return nil }
        while parts.count > 1, let last = parts.last, Self.saysNothing(last) { parts.removeLast() }
        switch parts.count {
        case 0: return nil
        case 1: return calls[parts[0]] ?? longest(parts[0])
        default: break
        }
        if let digit = parts.last, digit.utf8.count == 1, digit.first?.isNumber == true {
            return longest(Self.moved(parts[0], to: digit))
        }
        // The shorter one names the place, as a prefix does; of two that are as long, the first.
        let places = parts.sorted { $0.utf8.count < $1.utf8.count }
        return longest(places[0]) ?? places.dropFirst().lazy.compactMap(longest).first
    }

    /// Returns the place of the longest prefix that `call` begins with.
    private func longest(_ call: String) -> Place? {
        var prefix = call.prefix(longestPrefix)
        while !prefix.isEmpty {
            if let place = prefixes[String(prefix)] { return place }
            prefix.removeLast()
        }
        return nil
    }

    /// Whether what stands behind a call says nothing of its place.
    private static func saysNothing(_ word: String) -> Bool {
        if word.utf8.count == 1 { return word.first?.isNumber != true }
        return ["QRP", "QRPP", "LH", "LGT", "PM", "MOBILE", "BCN", "NR"].contains(word)
    }

    /// Returns `call` with another number of the call area: the last digit of its prefix.
    private static func moved(_ call: String, to digit: String) -> String {
        guard let place = call.lastIndex(where: \.isNumber) else { return call }
        return call[..<place] + digit + call[call.index(after: place)...]
    }
}
