import GroundwaveAuditing
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveMeterProtocols
import GroundwaveMetering
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore

extension Reading {
    /// Returns the meters that show, in order of address. For a past moment, their leases are judged at it.
    ///
    /// - Throws: As ``read(_:)``.
    /// - Complexity: A look-up for each, and one for its lease.
    public func meters() throws -> [Meter] {
        let names = try deviceNames()
        let records = try read { view in
            var records: [Record] = []
            try view.forEachRecord(of: Metering.meter.name) { record in
                if record.isVisible { records.append(record) }
                return true
            }
            return records
        }
        return try records.compactMap { try meter($0, names) }.sorted {
            $0.address.rawValue < $1.address.rawValue
        }
    }

    /// Returns the meter with this address; `nil` if the store does not know it.
    ///
    /// - Throws: As ``read(_:)``.
    /// - Complexity: A look-up, one for its lease, and the names of the devices.
    public func meter(_ address: MACAddress) throws -> Meter? {
        guard let record = try read({ try $0.record(Metering.meter.name, Metering.meterID(address)) }),
            record.isVisible
        else { return nil }
        return try meter(record, deviceNames())
    }

    /// Returns the unit in which temperatures of `trace` are shown: that of its meter, or degrees Celsius.
    ///
    /// - Throws: As ``read(_:)``.
    /// - Complexity: As ``meter(_:)``.
    public func temperatureUnit(of trace: Trace) throws -> TemperatureUnit {
        try trace.meter.flatMap { try meter($0) }?.temperatureUnit ?? .celsius
    }

    private func meter(_ record: Record, _ names: [ReplicaID: String]) throws -> Meter? {
        let fields = Dictionary(
            Metering.meter.values(of: record).filter { $0.name != "LEASE" }.map {
                ($0.name, String(decoding: $0.value, as: UTF8.self))
            }, uniquingKeysWith: { first, _ in first })
        guard let address = fields["MAC"].flatMap({ MACAddress($0) }) else { return nil }
        return Meter(
            id: record.id, address: address, name: fields["NAME"] ?? "",
            model: fields["MODEL"].flatMap { MeterModel(rawValue: $0) },
            temperatureUnit: fields["TEMPERATURE_UNIT"].flatMap { TemperatureUnit(rawValue: $0) },
            sharing: fields["SAMPLES"].flatMap { SampleSharing(rawValue: $0) },
            updated: record.fields.map(\.shown.stamp.milliseconds).max() ?? 0, lease: try lease(of: record, names))
    }

    private func lease(of record: Record, _ names: [ReplicaID: String]) throws -> MeterLease? {
        guard let head = record[Metering.meter.key(for: "LEASE")]?.shown, let value = head.value,
            let claim = MeterClaim(value), claim.isHeld, let time
        else { return nil }
        let clock = LeaseClock(log: log, time: time)
        let age = try clock.age(of: head)
        let replica = head.id.event.replica
        return MeterLease(
            replica: replica, device: names[replica] ?? replica.short, term: claim.term,
            since: claim.since, written: head.stamp.milliseconds, expires: clock.end(ofAge: age),
            isHeld: (0..<MeterLease.milliseconds).contains(age))
    }
}

extension Store {
    /// Takes a meter for this device for 120 s, and creates its record if there is none. If this device holds the
    /// meter already, renews the lease.
    ///
    /// Two devices that connect at once, before they have synced, both take it; when they sync, the one that came
    /// first holds it.
    ///
    /// - Throws: ``StoreError`` with code `busy` if another device holds it, with the time at which that lease ends.
    /// - Complexity: At most one commit.
    @discardableResult
    public func connect(_ address: MACAddress, model: MeterModel, author: String? = nil) async throws -> Meter {
        let present = try meter(address)
        if let lease = present?.lease, lease.isHeld, lease.replica != replica {
            throw StoreError(
                .busy, "\(address) is reserved by \(lease.device) until \(UTCText.seconds(lease.expires / 1000)).",
                hint: "On that device: \(.disconnectMeter("\(address)")). Or try again after that time.")
        }
        let own = present?.lease.flatMap { $0.isHeld && $0.replica == replica ? $0 : nil }
        let since = own?.since ?? surroundings.now().wallMilliseconds
        try await write(note: own == nil ? "Connected" : "", author: author) { batch in
            try batch.findOrMakeMeter(address, model: model)
            try batch.claim(address, isHeld: true, since: since, isRenewal: own != nil)
        }
        guard let meter = try meter(address) else { throw StoreError(.bug, "The meter \(address) is missing.") }
        return meter
    }

    /// Releases a meter that this device holds; if another device holds it, or none, nothing changes.
    ///
    /// - Returns: Whether this device held it.
    /// - Throws: Errors of `write`; then this device still holds it.
    /// - Complexity: At most one commit.
    @discardableResult
    public func disconnect(_ address: MACAddress, author: String? = nil) async throws -> Bool {
        guard let lease = try meter(address)?.lease, lease.replica == replica else { return false }
        try await write(note: "Disconnected", author: author) { batch in
            try batch.claim(address, isHeld: false, since: lease.since, isRenewal: true)
        }
        return true
    }

    /// Sets the name and the settings of a meter; `nil` leaves a field unchanged, and an empty name removes it.
    ///
    /// - Throws: ``StoreError`` with code `notFound` if the store does not know the meter.
    /// - Complexity: At most one commit.
    public func edit(
        _ address: MACAddress, name: String? = nil, temperatureUnit: TemperatureUnit? = nil,
        sharing: SampleSharing? = nil, note: String = "", author: String? = nil
    ) async throws {
        guard try meter(address) != nil else {
            throw StoreError(
                .notFound, "There is no meter \(address).", hint: "To see the known meters: \(.list(.meters))")
        }
        var fields: [Assignment] = []
        for (field, value) in [
            ("NAME", name), ("TEMPERATURE_UNIT", temperatureUnit?.rawValue), ("SAMPLES", sharing?.rawValue),
        ] {
            if let value { fields.append(Assignment(field, value.isEmpty ? nil : Array(value.utf8))) }
        }
        let assignments = fields
        try await write(note: note, author: author) {
            try $0.set(Metering.meter.name, Metering.meterID(address), assignments)
        }
    }
}

extension WriteBatch {
    /// Writes the lease of a meter with the greatest term seen so far, plus one for a takeover.
    fileprivate mutating func claim(_ address: MACAddress, isHeld: Bool, since: Int64, isRenewal: Bool) throws {
        let (kind, id) = (Metering.meter.name, Metering.meterID(address))
        let heads = try record(kind, id)?[Metering.meter.key(for: "LEASE")]?.heads ?? []
        let greatest = heads.map { LeaseClaim.term(of: $0.value) }.max() ?? 0
        let term = isRenewal ? max(1, greatest) : greatest + 1
        let claim = MeterClaim(term: term, isHeld: isHeld, since: since, nonce: newID().low)
        try set(kind, id, [Assignment("LEASE", claim.bytes)])
    }
}
