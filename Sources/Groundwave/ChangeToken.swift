import Events

/// A position in the history of one store: the event after which to resume.
///
/// It may be kept for as long as the store lives, as text or in a file. A rebuilt log has another epoch, so that an
/// older token is rejected instead of skipping or repeating changes.
public struct ChangeToken: Hashable, Sendable {
    /// The epoch of the log that it belongs to.
    public let epoch: UInt64
    /// The position of the last event that was seen.
    public let position: Position

    init(epoch: UInt64, position: Position) {
        self.epoch = epoch
        self.position = position
    }
}

extension ChangeToken: LosslessStringConvertible, Codable {
    /// The token as text: the epoch in hexadecimal, `@`, and the position.
    public var description: String { "\(String(epoch, radix: 16))@\(position)" }

    /// Parses the text form; `nil` if `description` is not a token.
    public init?(_ description: String) {
        let parts = description.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, let epoch = UInt64(parts[0], radix: 16), let position = Position(parts[1]) else {
            return nil
        }
        self.init(epoch: epoch, position: position)
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
