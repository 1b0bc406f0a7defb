import GroundwaveADIF
import GroundwaveByteCoding
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
    /// The id of the contact.
    public let id: RecordID
    /// The properties that must be equal: call, band and mode, then the lengths of the first two, so that no value can end
    /// in another one's place.
    let key: [UInt8]
    /// The possible start times, in seconds since 1970: a time of four digits is any second of its minute.
    public let start: ClosedRange<Int64>
    /// The own call, else the operator, in upper case; empty if neither is given.
    let station: [UInt8]

    /// Creates the candidate for a contact with these values.
    ///
    /// - Parameter value: Returns the bytes of an ADIF field; `nil` if the contact does not have it.
    /// - Returns: `nil` if the contact cannot be a duplicate: it has no call or no valid date and time, or is a note
    ///   of an activation.
    public init?(_ id: RecordID, _ value: (FieldName) -> ArraySlice<UInt8>?) {
        func folded(_ name: FieldName) -> [UInt8] { value(name).map { ContactKey.folded($0) } ?? [] }
        guard let date = ADIFDate(value(.qsoDate) ?? []), let time = ADIFTime(value(.timeOn) ?? []) else { return nil }
        let call = folded(.call)
        let mode = folded(.mode)
        if call.isEmpty || QSOKind.metadataModes.contains(String(decoding: mode, as: UTF8.self)) { return nil }
        self.id = id
        var writer = ByteWriter(capacity: 32)
        writer.append(contentsOf: call)
        writer.append(band: value(.band) ?? [], or: value(.freq) ?? [])
        let end = writer.count
        writer.append(modeOf: mode, value(.submode) ?? [])
        writer.append(littleEndian: UInt32(clamping: call.count))
        writer.append(littleEndian: UInt32(clamping: end))
        key = writer.bytes
        let first = ADIFDateTime(date: date, time: time).unixSeconds
        start = first...(time.second == nil ? first + 59 : first)
        let station = folded(.stationCallsign)
        self.station = station.isEmpty ? folded(.operator) : station
    }

    /// Returns the least difference between the two starts that their times allow, in seconds: 0 between `1234` and
    /// `123450`.
    public func seconds(to other: DuplicateCandidate) -> Int64 {
        Swift.max(0, start.lowerBound - other.start.upperBound, other.start.lowerBound - start.upperBound)
    }

    /// Whether both stations may be the same: equal, or at least one of them not given.
    static func mayBeOne(_ station: [UInt8], _ other: [UInt8]) -> Bool {
        station.isEmpty || other.isEmpty || station == other
    }
}

extension DuplicateCandidate {
    /// Creates the candidate for a contact with these shown values; `nil` if it cannot be a duplicate, or is hidden.
    init?(_ id: RecordID, _ values: borrowing ShownValues) {
        guard values.isVisible else { return nil }
        self.init(id) { values.value($0) }
    }
}
