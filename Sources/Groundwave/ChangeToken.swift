import Events

/// A place in the history of one store: after which event to go on.
///
/// It may be kept for as long as the store lives, as text or in a file. A store whose log was rebuilt has another
/// epoch: a token from before says so instead of skipping or repeating anything.
public struct ChangeToken: Hashable, Sendable {
    /// Which history of the log it belongs to.
    public let epoch: UInt64
    /// The last event that was seen.
    public let position: Position

    init(epoch: UInt64, position: Position) {
        self.epoch = epoch
        self.position = position
    }
}

extension ChangeToken: LosslessStringConvertible, Codable {
    /// The token as text: the epoch in hexadecimal, `@`, and the position.
    public var description: String { "\(String(epoch, radix: 16))@\(position)" }

    /// The token that `description` says, or `nil` where it is none.
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
