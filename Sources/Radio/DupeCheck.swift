import GroundwaveADIF
import GroundwaveEvents
import GroundwaveRecords

/// Whether a station was worked already, so that working it again counts for nothing.
///
/// In a session that is: in the same session, from the same own parks and, for parks, on the same UTC day. Without a
/// session: on the same UTC day. Band and mode count where they are known.
public struct DupeCheck: Sendable {
    /// The other station's call.
    public var call: String
    /// The band, where it is known.
    public var band: String?
    /// The mode, where it is known.
    public var mode: String?
    /// The session, where there is one.
    public var session: RecordID?
    /// The own parks.
    public var parks: [String]
    /// The moment of the new contact: seconds since 1970.
    public var now: Int64

    /// A check of these parts.
    public init(call: String, band: String?, mode: String?, session: RecordID?, parks: [String], now: Int64) {
        self.call = call
        self.band = band
        self.mode = mode
        self.session = session
        self.parks = parks
        self.now = now
    }

    /// Whether another contact now would be a dupe of `record`.
    public func isDupe(_ record: Record) -> Bool {
        let facts = ContactFacts(record)
        if facts.isMetadata || facts.call != call.uppercased() { return false }
        if let band, facts.band != band.lowercased() { return false }
        if let mode, !facts.isMode(mode.uppercased()) { return false }
        let isSameDay = facts.startSeconds.map { Self.day($0) == Self.day(now) } ?? false
        guard let session else { return isSameDay }
        guard record.session == session else { return false }
        return parks.isEmpty || isSameDay && Set(facts.myParks) == Set(parks)
    }

    private static func day(_ seconds: Int64) -> Int64 { Int64((Double(seconds) / 86_400).rounded(.down)) }
}
