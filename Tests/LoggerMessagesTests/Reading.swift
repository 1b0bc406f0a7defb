import GroundwaveADIF
import LoggerDatagrams

@testable import GroundwaveLoggerMessages

extension LoggerContact {
    /// Its fields by name.
    var values: [String: String] {
        Dictionary(fields.map { ($0.name.name, String(decoding: $0.value, as: UTF8.self)) }) { $1 }
    }
}

extension LoggerMessage {
    /// The contact of a datagram that has one and nothing else.
    static func contact(in datagram: [UInt8]) -> LoggerContact? {
        let messages = messages(in: datagram)
        guard messages.count == 1, case .contact(let contact) = messages[0] else { return nil }
        return contact
    }

    /// Why a datagram cannot be read.
    static func reason(_ datagram: [UInt8]) -> String? {
        guard case .unreadable(_, let reason) = messages(in: datagram).first else { return nil }
        return reason
    }

    /// Whether it says anything that changes a log.
    var changesLog: Bool {
        switch self {
        case .contact, .deletion: true
        case .other, .unreadable, .unknown: false
        }
    }
}
