import GroundwaveADIF

/// The messages of N1MM Logger+ and of others that send the same ("External UDP Messages" in its documentation): XML with
/// one level of elements.
enum ContestMessage {
    private static let program = "N1MM"

    /// - Returns: `nil` if the bytes are not XML.
    static func message(in datagram: [UInt8]) -> LoggerMessage? {
        var reader = FlatXML(datagram)
        guard let root = reader.root() else { return nil }
        guard let kind = Kind(rawValue: root) else { return .other }
        do throws(UnreadableMessage) {
            let values = try reader.values(in: root)
            switch kind {
            case .contactinfo, .contactreplace:
                return .contact(
                    LoggerContact(
                        program: program, fields: try ContestFields.read(values), isReplacement: kind == .contactreplace
                    ))
            case .contactdelete:
                guard let id = values["id"], !id.isEmpty else { throw UnreadableMessage(reason: "it has no ID") }
                func text(_ name: String) -> String { String(decoding: values[name] ?? [], as: UTF8.self) }
                return .deletion(
                    LoggerDeletion(
                        program: program, idField: ContestFields.idField, id: id, call: text("call"),
                        time: text("timestamp")))
            }
        } catch {
            return .unreadable(program: program, reason: error.reason)
        }
    }

    private enum Kind: String {
        case contactinfo, contactreplace, contactdelete
    }
}
