import GroundwaveADIF

/// Values of a file that ``ContactEntry`` would refuse from a person: they are taken in as they are, with a remark.
package struct EntryCheck: Sendable {
    /// The kinds of such values.
    package enum Problem: String, Sendable, CaseIterable {
        /// A date that is not in the calendar.
        case date = "odd-date"
        /// A time that no clock shows.
        case time = "odd-time"
        /// A band that ADIF does not have.
        case band = "odd-band"
        /// A frequency that is no number, or in another unit than MHz.
        case frequency = "odd-frequency"
        /// A frequency outside of the band beside it.
        case otherBand = "other-band"

        /// The remark, without the value: it stands for all values of its kind.
        package var explanation: String {
            switch self {
            case .date: "The date is not in the calendar; it was kept, and the contact has no time."
            case .time: "The time is not one of a clock; it was kept, and the contact counts as made at 00:00."
            case .band: "ADIF has no such band; it was kept."
            case .frequency: "The frequency is not in MHz; it was kept, and the contact is in no band."
            case .otherBand: "The frequency is not in the band beside it; both were kept."
            }
        }
    }

    /// What is checked of a known field, by its number.
    private static let checks: [Problem?] = {
        var checks = [Problem?](repeating: nil, count: Int(FieldName.maximumNumber) + 1)
        let fields: [(name: FieldName, problem: Problem)] = [
            (.qsoDate, .date), (.timeOn, .time), (.qsoDateOff, .date), (.timeOff, .time), (.band, .band),
            (.freq, .frequency), ("BAND_RX", .band), ("FREQ_RX", .frequency),
        ]
        for (name, problem) in fields { checks[Int(name.number)] = problem }
        return checks
    }()

    /// Returns the fields of a record whose values would be refused, in order of the file.
    ///
    /// - Complexity: A pass over the fields; no allocation for a record without any.
    package static func problems(of fields: ADIFFields) -> [(field: FieldName, problem: Problem)] {
        var problems: [(field: FieldName, problem: Problem)] = []
        let (bytes, checks) = (fields.bytes, checks)
        var (band, frequency) = (UInt16?.none, Frequency?.none)
        fields.forEachPlace { number, _, place in
            guard let check = checks[Int(number)], !place.isEmpty else { return }
            let value = bytes[place]
            var isSound = true
            switch check {
            case .date: isSound = ADIFDate(value) != nil
            case .time: isSound = ADIFTime(value) != nil
            case .band:
                let found =
                    NumberedNames.bands.number(of: value.span.bytes)
                    ?? ContactKey.folded(value).withSpan { NumberedNames.bands.number(of: $0) }
                isSound = found != nil
                if number == FieldName.band.number { band = found }
            case .frequency:
                let found = Frequency(megahertz: value)
                isSound = found.map(isInMegahertz) ?? false
                if number == FieldName.freq.number { frequency = found }
            case .otherBand: break
            }
            if !isSound, let name = FieldName(number: number) { problems.append((name, check)) }
        }
        if problems.isEmpty, let band, let frequency, Band(containing: frequency)?.rawValue != UInt8(band) {
            problems.append((.freq, .otherBand))
        }
        return problems
    }

    /// Whether a frequency is not meant in kilohertz or hertz.
    private static func isInMegahertz(_ frequency: Frequency) -> Bool {
        if Band(containing: frequency) != nil { return true }
        return ![1000, 1_000_000].contains { divisor in
            Frequency(millihertz: frequency.millihertz / divisor).flatMap { Band(containing: $0) } != nil
        }
    }
}
