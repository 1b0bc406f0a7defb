import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveMetering
import GroundwaveRecords
import GroundwaveStore

extension Store {
    /// Merges the records of each meter that has several: an older format gave each record a random ID, so two
    /// devices that met one meter made two records.
    ///
    /// The record that is kept is the one whose ID follows from the address. It is created if it is missing, so that
    /// devices which do this at the same time agree. It takes over the values that it is missing, the latest of
    /// several, but not the lease. The other records are hidden. All this is one batch, which `revert` takes back; a
    /// record that was hidden so once is not merged again, so a revert lasts.
    ///
    /// Called when a store is opened for writing.
    ///
    /// - Returns: The batch, and the meters that had several records.
    /// - Throws: Errors of `write`; then nothing was written.
    /// - Complexity: O(meters); reads the events of those that are merged.
    @discardableResult
    public func mergeMeters() async throws -> Written<[MACAddress]> {
        guard !isReadOnly, try !meterDoubles().isEmpty else { return Written(value: [], batch: nil) }
        return try await write(note: "Merge duplicate meter records") { [self] batch in
            var merged: [MACAddress] = []
            for (address, doubles) in try meterDoubles().sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                try batch.merge(doubles, of: address)
                merged.append(address)
            }
            return merged
        }
    }

    /// Returns the records of meters whose IDs do not follow from their addresses, except those that were merged
    /// before.
    private func meterDoubles() throws -> [MACAddress: [Record]] {
        var doubles: [MACAddress: [Record]] = [:]
        try read { view in
            try view.forEachRecord(of: Metering.meter.name) { record in
                if record.isVisible, let address = MACAddress(of: record), record.id != Metering.meterID(address) {
                    doubles[address, default: []].append(record)
                }
                return true
            }
        }
        for (address, records) in doubles {
            let left = try records.filter { try !wasDeleted($0) }
            doubles[address] = left.isEmpty ? nil : left
        }
        return doubles
    }

    private func wasDeleted(_ record: Record) throws -> Bool {
        try positions(of: record.kind, record.id).contains { position in
            try log.change(at: position)?.change.operations.contains { $0.code == .delete } ?? false
        }
    }
}

extension WriteBatch {
    fileprivate mutating func merge(_ doubles: [Record], of address: MACAddress) throws {
        let (kind, id) = (Metering.meter, Metering.meterID(address))
        let present = try record(kind.name, id)
        var assignments = [Assignment("MAC", text: "\(address)")]
        for field in kind.fields where !["MAC", "LEASE"].contains(field.name) {
            let key = kind.key(for: field.name)
            if let present, present.isVisible, present[key]?.value != nil { continue }
            let heads = doubles.compactMap { $0[key]?.shown }.filter { $0.value != nil }
            let latest = heads.max { ($0.stamp, $0.id.event.replica) < ($1.stamp, $1.id.event.replica) }
            if let latest { assignments.append(Assignment(field.name, latest.value)) }
        }
        try set(kind.name, id, assignments)
        for double in doubles { _ = try remove(kind.name, double.id) }
    }
}

extension MACAddress {
    /// Reads the address from the record of a meter; `nil` if it has none.
    fileprivate init?(of record: Record) {
        guard let text = Metering.meter.value(of: "MAC", in: record) else { return nil }
        self.init(String(decoding: text, as: UTF8.self))
    }
}
