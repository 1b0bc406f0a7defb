import ADIF

/// Normalises a value that a user entered to the form that ADIF requires.
///
/// Invalid values are refused; unusual ones are kept, with a remark.
enum FieldInput {
    /// Returns `text` as a value of the field `name`.
    static func normalised(
        _ text: String, for name: FieldName, remarks: inout [String]
    ) throws(EntryProblem) -> String {
        let isMultiline = name.dataType == .multilineString || name.dataType == .internationalMultilineString
        let allowed: Set<Unicode.Scalar> = isMultiline ? ["\n", "\r", "\t"] : []
        guard !text.unicodeScalars.contains(where: { $0.value < 0x20 && !allowed.contains($0) || $0.value == 0x7F })
        else {
            throw EntryProblem(
                "The value of \(name) contains control characters.",
                hint: isMultiline ? nil : "Put text with several lines in NOTES.")
        }
        if isMultiline {
            // Lines end with CR LF in ADIF, regardless of the input.
            return text.split(separator: /\r\n|\n|\r/, omittingEmptySubsequences: false).joined(separator: "\r\n")
        }
        let value = String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        if calls.contains(name) { return try call(value, name, &remarks) }
        return try typed(value, name, &remarks)
    }

    private static let calls: Set<FieldName> = [
        .call, .stationCallsign, .operator, "OWNER_CALLSIGN", "CONTACTED_OP", "EQ_CALL",
    ]

    private static func typed(
        _ value: String, _ name: FieldName, _ remarks: inout [String]
    ) throws(EntryProblem) -> String {
        if value.isEmpty { return value }
        switch name.dataType {
        case .date: return try date(value, name)
        case .time: return try time(value, name)
        case .boolean: return try boolean(value, name)
        case .number, .integer, .positiveInteger: return try number(value, name)
        case .gridSquare: return try grid(value, name)
        case .location:
            guard value.uppercased().wholeMatch(of: /[NSEW][0-9]{3} [0-9]{2}\.[0-9]{3}/) != nil else {
                throw EntryProblem("“\(value)” is not a position for \(name).", hint: "Write it like N052 05.100.")
            }
            return value.uppercased()
        case .potaReferenceList: return parks(value, &remarks)
        case .sotaReference, .wwffReference, .iotaReference:
            let reference = value.uppercased()
            if reference.wholeMatch(of: /[A-Z0-9]+(\/[A-Z0-9]+)?-[A-Z0-9]+/) == nil {
                remarks.append("\(reference) does not look like a reference for \(name); it was kept unchanged.")
            }
            return reference
        default:
            if name == .band || name == "BAND_RX" { return try band(value, name) }
            return value
        }
    }

    /// Returns a callsign in upper case.
    static func call(_ text: String, _ name: FieldName, _ remarks: inout [String]) throws(EntryProblem) -> String {
        let call = text.uppercased()
        if call.isEmpty { return call }
        guard call.wholeMatch(of: /[A-Z0-9\/]+/) != nil else {
            // The field of an operator may contain a name; the fields of stations may not.
            if name != .call, name != .stationCallsign { return call }
            throw EntryProblem(
                "“\(text)” is not a callsign.", hint: "A callsign consists of letters, digits and slashes: W1AW/P.")
        }
        if call.wholeMatch(of: /.*[0-9].*/) == nil || call.wholeMatch(of: /.*[A-Z].*/) == nil || call.count < 3 {
            remarks.append("\(call) does not look like a callsign; it was kept unchanged.")
        }
        return call
    }

    private static func date(_ value: String, _ name: FieldName) throws(EntryProblem) -> String {
        let isDashed = value.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}/) != nil
        let digits = isDashed ? value.filter { $0 != "-" } : value
        guard ADIFDate(Array(digits.utf8)[...]) != nil else {
            throw EntryProblem(
                "“\(value)” is not a date for \(name).",
                hint: "Write 20260501 or 2026-05-01; ADIF's dates begin in 1930.")
        }
        return digits
    }

    private static func time(_ value: String, _ name: FieldName) throws(EntryProblem) -> String {
        let bare = value.uppercased().hasSuffix("Z") ? String(value.dropLast()) : value
        let isColoned = bare.wholeMatch(of: /[0-9]{2}:[0-9]{2}(:[0-9]{2})?/) != nil
        let digits = isColoned ? bare.filter { $0 != ":" } : bare
        guard ADIFTime(Array(digits.utf8)[...]) != nil else {
            throw EntryProblem("“\(value)” is not a time for \(name).", hint: "Write 1234, 123456 or 12:34, in UTC.")
        }
        return digits
    }

    private static func boolean(_ value: String, _ name: FieldName) throws(EntryProblem) -> String {
        switch value.lowercased() {
        case "y", "yes", "true": return "Y"
        case "n", "no", "false": return "N"
        default: throw EntryProblem("\(name) must be Y or N, not “\(value)”.")
        }
    }

    private static func number(_ value: String, _ name: FieldName) throws(EntryProblem) -> String {
        let isWhole = name.dataType != .number
        let isNumber =
            isWhole
            ? value.wholeMatch(of: /-?[0-9]+/) != nil : value.wholeMatch(of: /-?([0-9]+\.?[0-9]*|\.[0-9]+)/) != nil
        guard isNumber else {
            let digits = value.prefix { $0.isNumber || $0 == "." || $0 == "," }
            let example = digits.replacing(",", with: ".")
            throw EntryProblem(
                "\(name) must be a \(isWhole ? "whole number" : "number"), not “\(value)”.",
                hint: example.isEmpty ? nil : "Write \(name)=\(example)\(name == .freq ? ", in MHz" : "").")
        }
        return value
    }

    private static func grid(_ value: String, _ name: FieldName) throws(EntryProblem) -> String {
        let upper = value.uppercased()
        guard upper.wholeMatch(of: /[A-R]{2}([0-9]{2}([A-X]{2}([0-9]{2})?)?)?/) != nil else {
            throw EntryProblem("“\(value)” is not a grid square for \(name).", hint: "Write it like FN31 or FN31pr.")
        }
        // The usual spelling: FN31pr.
        return upper.prefix(4) + upper.dropFirst(4).lowercased()
    }

    /// Returns the name of a band in ADIF's spelling.
    static func band(_ value: String, _ name: FieldName) throws(EntryProblem) -> String {
        if let band = Band(named: value) { return band.name }
        let guess = ["m", "cm", "mm"].compactMap { Band(named: value + $0) }.first
        throw EntryProblem(
            "There is no band “\(value)” for \(name).",
            hint: guess.map { "Did you mean \($0.name)?" }
                ?? "Bands are called 160m, 80m, 40m, 20m, 2m, 70cm and so on.")
    }

    /// Returns a list of parks in upper case, without blanks.
    static func parks(_ value: String, _ remarks: inout [String]) -> String {
        let parks = value.uppercased().split(separator: ",").map { $0.filter { !$0.isWhitespace } }
        for park in parks where park.wholeMatch(of: /[A-Z0-9]{1,4}-[0-9]{4,5}(@[A-Z0-9\-]{4,6})?/) == nil {
            remarks.append("\(park) does not look like a park reference, such as US-1234; it was kept unchanged.")
        }
        return parks.joined(separator: ",")
    }
}
