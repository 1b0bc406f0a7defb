import GroundwaveADIF

/// The messages of WSJT-X, JTDX and others of their family (NetworkMessage.hpp in the source of WSJT-X).
///
/// | bytes | |
/// |---|---|
/// | quint32 | 0xadbccbda |
/// | quint32 | the format of the values: 2 or 3 |
/// | quint32 | the type of the message |
/// | utf8 | the id of the program: its name, and ` - ` and a name of the user's own if several run |
/// | … | the values of this type; a later version may add some at the end |
enum NetworkMessage {
    private static let magic: UInt32 = 0xADBC_CBDA
    private static let formats: ClosedRange<UInt32> = 2...3

    private enum Kind: UInt32 {
        case contactLogged = 5
        case textLogged = 12
    }

    /// - Returns: `nil` if the bytes are not of this family.
    static func messages(in datagram: [UInt8]) -> [LoggerMessage]? {
        var reader = QtReader(datagram)
        guard (try? reader.uint32()) == magic else { return nil }
        guard let format = try? reader.uint32(), let kind = try? reader.uint32() else { return [.unknown] }
        guard let kind = Kind(rawValue: kind) else { return [.other] }
        var program = "WSJT-X"
        do throws(UnreadableMessage) {
            program = Self.program(try reader.text())
            guard formats.contains(format) else {
                throw UnreadableMessage(reason: "it has the format \(format), and not 2 or 3")
            }
            switch kind {
            case .textLogged: return LoggedText.messages(in: try reader.text(), of: program)
            case .contactLogged:
                return [.contact(LoggerContact(program: program, fields: try LoggedFields.read(&reader)))]
            }
        } catch {
            return [.unreadable(program: program, reason: error.reason)]
        }
    }

    /// Returns the name of the program: its id without the name that a user has given to one of several.
    private static func program(_ id: ArraySlice<UInt8>) -> String {
        let text = String(decoding: id.prefix(64), as: UTF8.self)
        let name = text.firstRange(of: " - ").map { text[..<$0.lowerBound] } ?? text[...]
        return name.allSatisfy(\.isWhitespace) ? "WSJT-X" : String(name)
    }
}
