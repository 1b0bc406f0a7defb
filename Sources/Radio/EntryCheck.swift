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

    private static let fields: [(name: FieldName, problem: Problem)] = [
        (.qsoDate, .date), (.timeOn, .time), (.qsoDateOff, .date), (.timeOff, .time), (.band, .band),
        (.freq, .frequency),
        ("BAND_RX", .band), ("FREQ_RX", .frequency),
    ]

    /// Returns the fields of a record whose values would be refused, in order of the table above.
    ///
    /// - Complexity: Less than a microsecond for a record without any.
    package static func problems(of fields: ADIFFields) -> [(field: FieldName, problem: Problem)] {
        var problems: [(field: FieldName, problem: Problem)] = []
        for (name, problem) in Self.fields {
            guard let value = fields[name]?.value, !value.isEmpty else { continue }
            let isSound =
                switch problem {
                case .date: ADIFDate(value) != nil
                case .time: ADIFTime(value) != nil
                case .band: Band(named: String(decoding: ContactKey.folded(value), as: UTF8.self)) != nil
                case .frequency: isInMegahertz(value)
                case .otherBand: true
                }
            if !isSound { problems.append((name, problem)) }
        }
        if problems.isEmpty, let frequency = fields[.freq].flatMap({ Frequency(megahertz: $0.value) }),
            let band = fields[.band], let named = Band(named: String(decoding: band.value, as: UTF8.self)),
            Band(containing: frequency) != named
        {
            problems.append((.freq, .otherBand))
        }
        return problems
    }

    /// Whether a frequency is a number that is not meant in kilohertz or hertz.
    private static func isInMegahertz(_ value: ArraySlice<UInt8>) -> Bool {
        guard let frequency = Frequency(megahertz: value) else { return false }
        if Band(containing: frequency) != nil { return true }
        return ![1000, 1_000_000].contains { divisor in
            Frequency(millihertz: frequency.millihertz / divisor).flatMap { Band(containing: $0) } != nil
        }
    }
}
