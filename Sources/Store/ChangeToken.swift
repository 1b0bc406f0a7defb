import GroundwaveEventLog
import GroundwaveEvents

/// A position in the history of one store: the event after which to resume.
///
/// It may be kept for as long as the store lives, as text or in a file. A rebuilt log has another epoch, and a cleared
/// one another event at the position, so that an older token is rejected instead of skipping or repeating changes.
public struct ChangeToken: Hashable, Sendable {
    /// The epoch of the log that it belongs to.
    public let epoch: UInt64
    /// The position of the last event that was seen.
    public let position: Position
    /// The stamp of that event, which no rewrite of the log changes; zero if there is none, or if it was lost.
    let stamp: Stamp
}

extension ChangeToken: LosslessStringConvertible, Codable {
    /// The token as text: the epoch and the stamp of the last event, both in hexadecimal, joined by a dot; `@`, and the
    /// position.
    public var description: String {
        "\(String(epoch, radix: 16)).\(String(stamp.rawValue, radix: 16))@\(position)"
    }

    /// Parses the text form; `nil` if `description` is not a token.
    public init?(_ description: String) {
        let parts = description.split(separator: "@", omittingEmptySubsequences: false)
        let names = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, names.count == 2, let epoch = UInt64(names[0], radix: 16),
            let stamp = UInt64(names[1], radix: 16), let position = Position(parts[1])
        else { return nil }
        self.init(epoch: epoch, position: position, stamp: Stamp(rawValue: stamp))
    }

    /// Reads the text form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let token = ChangeToken(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "This is not a change token.")
        }
        self = token
    }

    /// Writes the text form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension EventLog {
    /// Returns the token for the position after the event at `position`, 0 for the beginning. Cost: a look-up.
    package func token(at position: Position) throws -> ChangeToken {
        let stamp = try position == 0 ? nil : withEvent(at: position) { frame, _ in frame.isLost ? nil : frame.stamp }
        return ChangeToken(epoch: epoch, position: position, stamp: (stamp ?? nil) ?? Stamp(rawValue: 0))
    }

    /// Whether this log still has the history up to `token`: not after it was rebuilt or cleared.
    package func hasHistory(of token: ChangeToken) throws -> Bool {
        guard try token.epoch == epoch && token.position <= lastPosition() else { return false }
        let unknown = Stamp(rawValue: 0)
        let stamp = try self.token(at: token.position).stamp
        return token.stamp == stamp || token.stamp == unknown || stamp == unknown
    }
}

extension Store {
    /// Returns a token for the position after the last event: from there, ``changes(since:matching:)`` returns only
    /// future changes.
    public func currentToken() throws -> ChangeToken {
        try describing { try log.token(at: log.lastPosition()) }
    }
}
