import GroundwaveADIF
import GroundwaveLoggerMessages

extension Target {
    /// Datagrams of logging programs: a contact that is found has a call, and can be written and read again.
    static let datagram = Target(name: "datagram", byteLimit: 4096) { input in
        let messages = LoggerMessage.messages(in: input)
        require(!messages.isEmpty, "each datagram says something, if only that it is unknown")
        for message in messages {
            switch message {
            case .contact(let contact):
                require(contact.fields.text(.call) != nil, "a contact has a call")
                require(!contact.program.isEmpty, "a contact has a source")
                check(contact.fields)
            case .deletion(let deletion): require(!deletion.id.isEmpty, "a deletion says of which contact")
            case .unreadable(_, let reason): require(!reason.isEmpty, "what cannot be read has a reason")
            case .other, .unknown: break
            }
        }
    }

    private static func check(_ fields: ADIFFields) {
        // As for files: what comes twice cannot be told from a record without an end.
        guard Set(fields.map(\.name)).count == fields.count else { return }
        var bytes: [UInt8] = []
        ADIWriter.append(ADIFHeader(), to: &bytes)
        ADIWriter.append(ADIFRecord(fields: fields), to: &bytes)
        let records = ADIReader.items(in: bytes).compactMap { item -> ADIFRecord? in
            if case .record(let record) = item { record } else { nil }
        }
        require(records.count == 1 && Array(records[0].fields) == Array(fields), "a contact is read as it was written")
    }
}
