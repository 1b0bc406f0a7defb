import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveStore

/// What people call a record: a contact its station, everything else its short id.
package struct RecordNames {
    private let store: any Reading
    private var known: [RecordID: String] = [:]

    package init(_ store: any Reading) { self.store = store }

    /// The name of a record, with its kind where it is no contact.
    package mutating func name(_ kind: String, _ id: RecordID) throws -> String {
        guard kind == QSOKind.name else { return "\(kind) \(id.short)" }
        if let name = known[id] { return name }
        let call = try store.read { try $0.record(kind, id) }?.text("CALL") ?? ""
        let name = call.isEmpty ? id.short : "\(call) \(id.short)"
        // A bounded memory: histories name the same contacts again and again, but logs are long.
        if known.count > 10_000 { known.removeAll() }
        known[id] = name
        return name
    }
}
