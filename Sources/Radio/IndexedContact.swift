import GroundwaveADIF
import GroundwaveByteCoding
import GroundwaveRecords

/// What an entry of the index of times says of a contact: enough to count most contacts, and to pass over those that
/// a query does not ask for, without their rows.
///
/// | bytes of the key | |
/// |---|---|
/// | 0–7 | the start: see ``ContactIndex/timeKey(_:)``; 1970 if the date is invalid |
/// | 8 | flags: bit 0 hidden, bit 1 a note of an activation, bit 2 the date is invalid |
/// | 9 | the band, as ``GroundwaveADIF/Band/rawValue``; 0 for none, 255 for one that is not in the standard's list |
/// | 10–11 | the mode field, as its number in ``NumberedNames/modes``; 0 for none, 65,535 for one that is not there |
/// | 12–13 | the submode field, likewise |
struct IndexedContact {
    /// The start in seconds since 1970; `nil` if the date is invalid.
    let startSeconds: Int64?
    let facts: Facts

    /// Reads the key of an entry; `nil` if it is none of these.
    init?(_ key: RawSpan) {
        guard key.byteCount == 14 else { return nil }
        facts = Facts(
            flags: key.byte(at: 8), band: key.byte(at: 9),
            mode: UInt16(key.byte(at: 10)) << 8 | UInt16(key.byte(at: 11)),
            submode: UInt16(key.byte(at: 12)) << 8 | UInt16(key.byte(at: 13)))
        startSeconds = facts.flags & 4 != 0 ? nil : ContactIndex.seconds(key.bigEndianUInt64(at: 0))
    }

    /// All but the start: few contacts of a log differ in it.
    struct Facts: Hashable {
        let flags: UInt8
        let band: UInt8
        let mode: UInt16
        let submode: UInt16

        fileprivate static let otherBand = UInt8.max
        fileprivate static let otherMode = UInt16.max

        fileprivate init(flags: UInt8, band: UInt8, mode: UInt16, submode: UInt16) {
            (self.flags, self.band, self.mode, self.submode) = (flags, band, mode, submode)
        }

        init(_ values: borrowing ShownValues, _ fields: KeyFields) {
            flags =
                (values.isVisible ? 0 : 1) | (values.isMetadata ? 2 : 0) | (fields.startSeconds == nil ? 4 : 0)
            band = Self.band(fields.band, fields.frequency)
            mode = Self.mode(fields.mode)
            submode = Self.mode(fields.submode)
        }

        private static func band(_ band: ArraySlice<UInt8>, _ frequency: ArraySlice<UInt8>) -> UInt8 {
            guard band.isEmpty else {
                return NumberedNames.bands.number(of: band.span.bytes).map { UInt8($0) } ?? otherBand
            }
            return Frequency(megahertz: frequency).flatMap { Band(containing: $0) }?.rawValue ?? 0
        }

        private static func mode(_ name: ArraySlice<UInt8>) -> UInt16 {
            name.isEmpty ? 0 : NumberedNames.modes.number(of: name.span.bytes) ?? otherMode
        }

        func append(to key: inout ByteWriter) {
            key.append(flags)
            key.append(band)
            key.append(UInt8(truncatingIfNeeded: mode >> 8))
            key.append(UInt8(truncatingIfNeeded: mode))
            key.append(UInt8(truncatingIfNeeded: submode >> 8))
            key.append(UInt8(truncatingIfNeeded: submode))
        }

        var isHidden: Bool { flags & 1 != 0 }
        var isMetadata: Bool { flags & 2 != 0 }

        /// Whether band and modes are in the standard's lists.
        var areKnown: Bool { band != Self.otherBand && mode != Self.otherMode && submode != Self.otherMode }

        /// The name of the band, if ``areKnown``; `nil` if it has none.
        var bandName: String? { Band(rawValue: band)?.name }

        /// The mode field in upper case, if ``areKnown``; `nil` if it has none.
        var modeName: String? { Self.name(mode) }

        /// The submode field in upper case, if ``areKnown``; `nil` if it has none.
        var submodeName: String? { Self.name(submode) }

        private static func name(_ mode: UInt16) -> String? { mode == 0 ? nil : NumberedNames.modes[mode] }
    }
}

/// A query as entries of the index of times answer it.
struct IndexedQuery {
    private let query: ContactQuery
    /// Whether entries say all that the query asks of a contact whose band and modes are in the standard's lists.
    let isAnsweredByIndex: Bool
    private var answers: [IndexedContact.Facts: Bool?] = [:]

    init(_ query: ContactQuery) {
        self.query = query
        isAnsweredByIndex =
            query.call == nil && query.callPattern == nil && query.station == nil && query.park == nil
            && query.operatorCall == nil
            && query.session == nil
            && query.recordedSince == nil && query.changedAfter == nil && query.conditions.isEmpty
            && query.words.isEmpty
    }

    /// Whether the contact matches; `nil` if only its row can tell.
    mutating func matches(_ contact: IndexedContact) -> Bool? {
        let facts = contact.facts
        if facts.isHidden != query.isHidden || facts.isMetadata && !query.includesMetadata { return false }
        if let since = query.since, (contact.startSeconds ?? .min) < since { return false }
        if let until = query.until, (contact.startSeconds ?? .min) >= until { return false }
        if query.band == nil, query.mode == nil { return isAnsweredByIndex ? true : nil }
        if let answer = answers[facts] { return answer }
        var answer: Bool?
        if facts.areKnown {
            let contact = ContactFacts(band: facts.bandName, mode: facts.modeName, submode: facts.submodeName)
            answer = query.isBandAndMode(of: contact) ? isAnsweredByIndex ? true : nil : false
        }
        answers.updateValue(answer, forKey: facts)
        return answer
    }
}
