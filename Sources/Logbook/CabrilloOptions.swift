import GroundwaveCabrillo
import GroundwaveStore

/// What the log of a contest says besides its contacts.
///
/// The header has what is given here, then what the last imported Cabrillo log of the contest had, then the settings of this
/// device: `cabrillo.TAG` for each tag, `myCallsign`, `operatorName` and `defaultGrid`.
public struct CabrilloOptions: Sendable {
    /// The contest, as CONTEST_ID of its contacts has it; `nil` if all contacts that are exported belong to one.
    public var contest: String?
    /// What was sent, without report and serial number, where a contact does not say it.
    public var sent: String?
    /// The given lines of the header.
    private(set) var header = CabrilloHeader()

    /// Creates options without a header.
    public init(contest: String? = nil, sent: String? = nil) { (self.contest, self.sent) = (contest, sent) }

    /// Adds a line to the header.
    ///
    /// - Throws: ``StoreError`` with code `usage` if Cabrillo has no such tag, or a list of values for it without this one.
    public mutating func addHeader(_ tag: String, _ text: String) throws {
        let tag = tag.uppercased()
        let text = try Self.checked(text, for: tag)
        guard tag != "CONTEST" else {
            throw StoreError(.usage, "The contest is not a line of the header.", hint: "\(.nameContest).")
        }
        if header[tag] != nil, !CabrilloHeader.isRepeated(tag) {
            throw StoreError(.usage, "\(tag) is given twice.")
        }
        header.append(.init(tag, text))
    }

    /// Returns the text of a line as Cabrillo spells it; throws ``StoreError`` with code `usage` if it is no line of a header.
    static func checked(_ text: String, for tag: String) throws -> String {
        guard CabrilloHeader.isTag(tag) else {
            throw StoreError(
                .usage, "Cabrillo has no line “\(tag)”.",
                hint: "Lines are \(CabrilloHeader.tags.joined(separator: ", ")).")
        }
        guard !text.contains(where: \.isNewline), text.utf8.count <= 1000 else {
            throw StoreError(.usage, "The text for \(tag) is more than one line.")
        }
        let values = CabrilloHeader.values(of: tag)
        guard values.isEmpty || values.contains(text.uppercased()) else {
            throw StoreError(
                .usage, "\(tag) cannot be “\(text)”.", hint: "Its values are \(values.joined(separator: ", ")).")
        }
        return values.isEmpty ? text : text.uppercased()
    }
}
