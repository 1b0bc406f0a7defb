import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords

extension ViewReader {
    /// `note` with an author: if none is named, the one that a component knows, such as the operator of a logbook's open
    /// session, else the name of the device.
    ///
    /// - Parameters:
    ///   - components: The components of the store, of which one may know the author.
    ///   - device: The name of a device whose replica is not known yet.
    package func naming(
        _ note: AuditNote, for replica: ReplicaID, _ components: [StoreComponent], on device: String
    ) throws -> AuditNote {
        guard note.author.isEmpty else { return note }
        var note = note
        for component in components where note.author.isEmpty {
            note.author = try component.author?(self, replica) ?? ""
        }
        if note.author.isEmpty { note.author = try deviceName(of: replica) ?? device }
        return note
    }

    package func deviceName(of replica: ReplicaID) throws -> String? {
        let id = RecordID(high: replica.high, low: replica.low)
        guard let record = try record(ReplicaKind.name, id) else { return nil }
        return ReplicaKind.schema.value(of: "DEVICE", in: record).map { String(decoding: $0, as: UTF8.self) }
    }
}
