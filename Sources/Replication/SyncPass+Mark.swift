import GroundwaveEvents

extension SyncPass {
    /// Checks that the remote is of this log, and discards the remote cache if the remote was emptied.
    ///
    /// - Parameter mayWrite: Whether to write the log mark if there is none, or if it was cut short.
    mutating func checkLog(mayWrite: Bool) async throws {
        try beginRequest()
        switch try await RemoteLayout.mark(at: transport) {
        case .log(log.id): return
        case .log(let found): throw RemoteError.otherLog(found)
        case .invalid: throw RemoteError.notARemote
        case .cut(let bytes):
            guard RemoteLayout.logBytes(log.id).starts(with: bytes) else { throw RemoteError.notARemote }
            guard mayWrite else { throw RemoteError.notReady }
            try await writeMarkAgain()
        case .none:
            try beginRequest()
            try await RemoteLayout.refuseOtherForm(transport)
            if !cache.catalogs.isEmpty { forget() }
            guard mayWrite else { return }
            // The mark may be missing because a store of another log is writing it again.
            try await refuse(try await RemoteLayout.mark(RemoteLayout.logAgain, at: transport))
            try await putMark()
        }
    }

    /// Replaces a log mark that was cut short.
    ///
    /// No operation of a transport replaces an object, so which log the remote is of is decided by another object, of which
    /// the first writer wins: only a store of that log deletes the mark, and only after it has read again that it is cut.
    /// Two stores of one log that do this at once write the same bytes.
    private mutating func writeMarkAgain() async throws {
        try await refuseSegmentsOfOthers()
        try beginRequest()
        _ = try await transport.putIfAbsent(RemoteLayout.logAgain, RemoteLayout.logBytes(log.id))
        let decision = try await RemoteLayout.mark(RemoteLayout.logAgain, at: transport)
        try await refuse(decision)
        guard decision == .log(log.id) else {
            try await transport.delete(RemoteLayout.logAgain)
            throw RemoteError.notReady
        }
        if case .cut = try await RemoteLayout.mark(at: transport) {
            try await transport.delete(RemoteLayout.log)
            try await putMark()
        } else {
            try await checkLog(mayWrite: false)
        }
    }

    /// Writes the log mark, unless another store was faster, which may be of another log.
    private mutating func putMark() async throws {
        try beginRequest()
        let outcome = try await transport.putIfAbsent(RemoteLayout.log, RemoteLayout.logBytes(log.id))
        if outcome == .exists { try await checkLog(mayWrite: false) }
    }

    private func refuse(_ mark: RemoteLayout.Mark) async throws {
        guard mark.isForeign(to: log.id) else { return }
        if case .log(let found) = mark { throw RemoteError.otherLog(found) }
        throw RemoteError.notARemote
    }

    /// Throws if the catalog of any store, or another object of one without a catalog, is of another log.
    private mutating func refuseSegmentsOfOthers() async throws {
        try beginRequest()
        for folder in try await transport.folders(prefix: RemoteLayout.stores, limit: RemoteLayout.storeLimit) {
            guard let store = ReplicaID(text: folder), "\(store)" == folder else { continue }
            var names = [RemoteLayout.catalog(of: store)]
            names += try await objects(of: store).prefix(1).map(\.name)
            for name in names {
                let bytes: [UInt8]?
                do {
                    bytes = try await object(name, range: Segment.logRange, limit: Segment.logRange.count)
                } catch is OddObject { continue } catch is QuarantineReason { continue }
                if let found = bytes.flatMap(Segment.log), found != log.id { throw RemoteError.otherLog(found) }
            }
        }
    }
}
