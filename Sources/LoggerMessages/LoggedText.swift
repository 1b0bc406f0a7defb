import GroundwaveADIF

/// Contacts as ADIF text: in the message "Logged ADIF" of WSJT-X and JTDX, and alone in a datagram, as GridTracker, Log4OM
/// and others send it.
enum LoggedText {
    /// Reads a datagram that is ADIF text and nothing else. GridTracker writes `ADD ` before it for Log4OM.
    static func messages(in datagram: [UInt8]) -> [LoggerMessage] {
        guard datagram.allSatisfy({ $0 >= 0x20 || 0x09...0x0D ~= $0 }) else { return [.unknown] }
        let text = datagram.starts(with: Array("ADD ".utf8)) ? datagram[4...] : datagram[...]
        let messages = messages(in: text, of: nil)
        let hasContact = messages.contains { if case .contact = $0 { true } else { false } }
        // Text that has no contact may be anything.
        return hasContact ? messages : [.unknown]
    }

    /// Reads ADIF text: a message for each contact, and for each part that is not a whole one.
    ///
    /// - Parameter program: The program that sends it; `nil` if only the text can tell.
    static func messages(in text: ArraySlice<UInt8>, of program: String?) -> [LoggerMessage] {
        var source = program ?? "adif"
        var messages: [LoggerMessage] = []
        for item in ADIReader.items(in: Array(text)) {
            switch item {
            case .header(let header):
                if program == nil, let name = header.fields.text(.programID) { source = String(name.prefix(64)) }
            case .record(let record):
                messages.append(
                    record.fields.text(.call) == nil
                        ? .unreadable(program: source, reason: "it has no call")
                        : .contact(LoggerContact(program: source, fields: record.fields)))
            case .rejected(let rejection):
                messages.append(
                    .unreadable(program: source, reason: "its ADIF text is damaged (\(rejection.code.rawValue))"))
            }
        }
        return messages.isEmpty ? [.unreadable(program: source, reason: "it has no contact")] : messages
    }
}
