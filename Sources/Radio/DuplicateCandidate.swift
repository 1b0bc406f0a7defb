import GroundwaveADIF
import GroundwaveEvents
import GroundwaveRecords

/// The properties of a contact that are compared to find duplicates of it.
///
/// | part | two contacts agree if |
/// |---|---|
/// | call | it is equal in upper case, without blanks at its ends; `/P` and other suffixes count |
/// | band | it is equal; derived from the frequency if it is not given |
/// | mode | ADIF's mode is equal: `MFSK` with the submode `FT4` equals `FT4` in `MODE`; `USB` and `LSB` equal `SSB` |
/// | time | the starts differ by at most a window: see ``seconds(to:)`` |
/// | station | the own call, else the operator, is equal, or at least one of the two has neither |
///
/// A value missing in both contacts agrees; a value missing in one does not, except for the station.
public struct DuplicateCandidate: Hashable, Sendable {
    /// The properties that must be equal.
    struct Key: Hashable, Sendable {
        let call: String
        let band: String
        let mode: String
    }

    /// The id of the contact.
    public let id: RecordID
    let key: Key
    /// The possible start times, in seconds since 1970: a time of four digits is any second of its minute.
    public let start: ClosedRange<Int64>
    /// The own call, else the operator, in upper case; empty if neither is given.
    let station: String

    /// Creates the candidate for a contact with these values.
    ///
    /// - Parameter value: Returns the bytes of an ADIF field; `nil` if the contact does not have it.
    /// - Returns: `nil` if the contact cannot be a duplicate: it has no call or no valid date and time, or is a note
    ///   of an activation.
    public init?(_ id: RecordID, _ value: (FieldName) -> ArraySlice<UInt8>?) {
        func text(_ name: FieldName) -> String {
            value(name).map { String(decoding: ContactKey.folded($0), as: UTF8.self) } ?? ""
        }
        let call = text(.call)
        guard !call.isEmpty, let date = ADIFDate(value(.qsoDate) ?? []), let time = ADIFTime(value(.timeOn) ?? [])
        else { return nil }
        let mode = text(.mode)
        if QSOKind.metadataModes.contains(mode) { return nil }
        var band = text(.band)
        if band.isEmpty, let frequency = Frequency(megahertz: text(.freq)), let holding = Band(containing: frequency) {
            band = holding.name.uppercased()
        }
        self.id = id
        key = Key(call: call, band: band, mode: Mode(mode: mode, submode: text(.submode))?.name ?? "")
        let first = ADIFDateTime(date: date, time: time).unixSeconds
        start = first...(time.second == nil ? first + 59 : first)
        let station = text(.stationCallsign)
        self.station = station.isEmpty ? text(.operator) : station
    }

    /// Returns the least difference between the two starts that their times allow, in seconds: 0 between `1234` and
    /// `123450`.
    public func seconds(to other: DuplicateCandidate) -> Int64 {
        Swift.max(0, start.lowerBound - other.start.upperBound, other.start.lowerBound - start.upperBound)
    }

    /// Whether both stations may be the same: equal, or at least one of them not given.
    static func mayBeOne(_ station: String, _ other: String) -> Bool {
        station.isEmpty || other.isEmpty || station == other
    }
}

extension DuplicateCandidate {
    /// Creates the candidate for a contact with these shown values; `nil` if it cannot be a duplicate, or is hidden.
    init?(_ id: RecordID, _ values: borrowing ShownValues) {
        guard values.isVisible else { return nil }
        func register(_ number: UInt32) -> [[UInt8]?] {
            values.value(number).map { Register(decoding: Array($0), memberCount: 2).values } ?? [nil, nil]
        }
        let start = register(QSOKind.Number.start)
        let frequency = register(QSOKind.Number.frequency)
        let emission = register(QSOKind.Number.emission)
        self.init(id) { name in
            switch name {
            case .qsoDate: start[0].map { $0[...] }
            case .timeOn: start[1].map { $0[...] }
            case .freq: frequency[0].map { $0[...] }
            case .band: frequency[1].map { $0[...] }
            case .mode: emission[0].map { $0[...] }
            case .submode: emission[1].map { $0[...] }
            default: values.value(UInt32(name.number))
            }
        }
    }
}
