import GroundwaveEvents
import GroundwaveRecords
import GroundwaveStore

extension Store {
    /// Declares that the device of a replica is gone for ever, on all devices: what it is missing, and what is missing of
    /// its events, no longer makes anything incomplete. Its events and its name stay.
    ///
    /// The next sign of life of it, an event or a manifest, ends that.
    ///
    /// - Parameter replica: A replica with events here, or one of which only a manifest is known.
    /// - Returns: Whether anything was written; `false` if it is retired already.
    /// - Throws: ``StoreError`` with code `usage` if it is this device; `notFound` if there is no such replica. Then
    ///   nothing was written.
    /// - Complexity: At most one commit.
    @discardableResult
    public func retire(
        _ replica: ReplicaID, note: String = "", author: String? = nil
    ) async throws -> Written<Bool> {
        let (origin, last) = try lastSign(of: replica)
        let isRetired = try retirements(by: manifests().values.flatMap { $0 }).isRetired(origin)
        return try await write(note: note, author: author) { batch in
            if isRetired { return false }
            let id = RecordID(high: origin.high, low: origin.low)
            return try batch.set(ReplicaKind.name, id, [Assignment("RETIRED", text: last.text)])
        }
    }

    /// Declares that this device has taken the place of another one, whose store is gone: a device that lost its store and
    /// joined the log again. The other one is retired, and is listed as what this device was before.
    ///
    /// - Throws: As ``retire(_:note:author:)``.
    /// - Complexity: At most one commit.
    public func replace(_ replica: ReplicaID) async throws {
        try await introduce()
        let (origin, last) = try lastSign(of: replica)
        guard let own = self.replica else { preconditionFailure("A store that can be written has a replica.") }
        try await write { batch in
            _ = try batch.set(
                ReplicaKind.name, RecordID(high: own.high, low: own.low), [Assignment("FORMER", text: "\(origin)")])
            _ = try batch.set(
                ReplicaKind.name, RecordID(high: origin.high, low: origin.low), [Assignment("RETIRED", text: last.text)]
            )
        }
    }

    /// Returns another replica than this device's, by its first history, and the last that is known of it.
    private func lastSign(of replica: ReplicaID) throws -> (origin: ReplicaID, last: SignOfLife) {
        let streams = try describing { try log.streams() }
        let origin = streams.origin(of: replica)
        guard origin != self.replica.map(streams.origin(of:)) else {
            throw StoreError(
                .usage, "\(replica.short) is this device: it is not gone.",
                hint: "To see the other devices: \(.list(.devices))")
        }
        guard try replicas().contains(where: { $0.id == replica }) else {
            throw StoreError(.notFound, "There is no device \(replica.short).", hint: "To see them: \(.list(.devices))")
        }
        return (origin, try signsOfLife(in: manifests().values.flatMap { $0 })[origin] ?? SignOfLife())
    }

    /// Returns another device than this one that `text` names: the name of a replica that still writes, or the beginning of
    /// the ID of any, also of one of which only a manifest is known.
    ///
    /// - Throws: ``StoreError`` with code `notFound` if there is none, or if several match.
    public func otherReplica(named text: String) throws -> ReplicaID {
        let others = try replicas().filter { !$0.isThisDevice }
        let prefixed = others.filter { !text.isEmpty && "\($0.id)".hasPrefix(text.uppercased()) }
        let called = others.filter { $0.device?.lowercased() == text.lowercased() && $0.successors.isEmpty }
        let found = called.isEmpty ? prefixed : called
        if found.count == 1 { return found[0].id }
        throw StoreError(
            .notFound,
            found.isEmpty ? "There is no other device called “\(text)”." : "Several other devices match “\(text)”.",
            hint: "To see the devices: \(.list(.devices)). The first letters of a replica id name one, too.")
    }
}
