import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveProjections
import GroundwaveRecords

extension Reading {
    /// Returns the name of the device behind each replica of this log.
    ///
    /// - Throws: As ``read(_:)``.
    /// - Complexity: Reads the record of each replica.
    public func deviceNames() throws -> [ReplicaID: String] {
        var names: [ReplicaID: String] = [:]
        try read { view in
            try view.forEachRecord(of: ReplicaKind.name) { record in
                let name = ReplicaKind.schema.value(of: "DEVICE", in: record).map {
                    String(decoding: $0, as: UTF8.self)
                }
                names[ReplicaID(high: record.id.high, low: record.id.low)] = name ?? record.id.short
                return true
            }
        }
        // A branch belongs to the device of the replica that forked.
        let streams = try describing { try log.streams() }
        for stream in streams.branches.keys { names[stream] = names[streams.origin(of: stream)] }
        return names
    }

    /// Returns the replica that `text` names: its device, its ID, or the beginning of its ID.
    ///
    /// - Throws: ``StoreError`` with code `notFound` if there is none, or if several match.
    public func replica(named text: String) throws -> ReplicaID {
        let names = try deviceNames()
        let found = names.keys.filter { id in
            names[id]?.lowercased() == text.lowercased() || "\(id)".hasPrefix(text.uppercased())
        }
        if found.count == 1, let replica = found.first { return replica }
        let known = names.sorted { $0.value < $1.value }.map { "\($0.value) (\($0.key.short))" }
        throw StoreError(
            .notFound, found.isEmpty ? "There is no device called \(text)." : "Several devices are called \(text).",
            hint: "The devices are \(known.joined(separator: ", ")).")
    }
}
