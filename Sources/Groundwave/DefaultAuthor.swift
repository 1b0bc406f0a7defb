import Events
import Projections
import Records

extension ViewReader {
    /// Returns `note` with an author. If it names none, the author is that of the session that is open on this
    /// device, else the name of the device.
    ///
    /// - Parameter device: The device name to use if the replica is not known yet.
    func naming(_ note: AuditNote, for replica: ReplicaID, on device: String) throws -> AuditNote {
        guard note.author.isEmpty else { return note }
        var note = note
        let session = try openSession(of: replica)
        note.author = try session?.author ?? deviceName(of: replica) ?? device
        return note
    }

    func deviceName(of replica: ReplicaID) throws -> String? {
        let id = RecordID(high: replica.high, low: replica.low)
        guard let record = try record(ReplicaKind.name, id) else { return nil }
        return ReplicaKind.schema.value(of: "DEVICE", in: record).map { String(decoding: $0, as: UTF8.self) }
    }
}
