import GroundwaveADIF
import GroundwaveCabrillo
import GroundwaveEvents
import GroundwaveRecords

/// Whether a station was already worked, so that another contact with it does not count.
///
/// In a contest: in the same contest, at most three days before, whatever the session. Else with a session: in the same
/// session and, if own parks are given, from the same parks on the same UTC day. Else on the same UTC day. Band and mode
/// must match if they are known, except in a contest in which a station counts once.
public struct DupeCheck: Sendable {
    /// The other station's call.
    public var call: String
    /// The band; `nil` if unknown.
    public var band: String?
    /// The mode; `nil` if unknown.
    public var mode: String?
    /// The contest, as CONTEST_ID has it; `nil` if there is none.
    public var contest: String?
    /// The session; `nil` if there is none.
    public var session: RecordID?
    /// The own parks.
    public var parks: [String]
    /// The time of the new contact, in seconds since 1970.
    public var now: Int64

    /// Creates a check for a new contact.
    public init(
        call: String, band: String?, mode: String?, contest: String? = nil, session: RecordID?, parks: [String],
        now: Int64
    ) {
        self.call = call
        self.band = band
        self.mode = mode
        self.contest = contest
        self.session = session
        self.parks = parks
        self.now = now
    }

    /// Whether a new contact would be a dupe of `record`.
    public func isDupe(_ record: Record) -> Bool {
        let facts = ContactFacts(record)
        if facts.isMetadata || facts.call != call.uppercased() { return false }
        if let contest {
            guard record.text("CONTEST_ID")?.uppercased() == contest.uppercased(),
                let start = facts.startSeconds, abs(start - now) < 3 * 86_400
            else { return false }
            if Contest.named(contest)?.isOnce == true { return true }
        }
        if let band, facts.band != band.lowercased() { return false }
        if let mode, !facts.isMode(mode.uppercased()) { return false }
        if contest != nil { return true }
        let isSameDay = facts.startSeconds.map { Self.day($0) == Self.day(now) } ?? false
        guard let session else { return isSameDay }
        guard record.session == session else { return false }
        return parks.isEmpty || isSameDay && Set(facts.myParks) == Set(parks)
    }

    private static func day(_ seconds: Int64) -> Int64 { Int64((Double(seconds) / 86_400).rounded(.down)) }
}
