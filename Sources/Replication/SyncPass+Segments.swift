import GroundwaveEvents

/// Something under the name of an object that no store has put there: a folder, a link, a device, a file of any size.
struct OddObject: Error {
    /// What it is, in a sentence.
    let text: String
}

extension SyncPass {
    /// Returns the bytes of an object of a store, or some of them; `nil` if there is none.
    ///
    /// - Throws: ``OddObject`` if something else has its name; ``QuarantineReason`` if nothing of the store can be read.
    ///   Both concern this store alone. Other errors concern the remote.
    mutating func object(
        _ name: ObjectName, range: Range<Int>? = nil, limit: Int = Segment.byteLimit
    ) async throws -> [UInt8]? {
        try beginRequest()
        do { return try await transport.get(name, range: range, limit: limit) } catch {
            throw Self.isolated(error, name)
        }
    }

    /// Whether there is an object of that name, whatever it is.
    mutating func exists(_ name: ObjectName) async throws -> Bool {
        do { return try await object(name, range: 0..<1, limit: 1) != nil } catch is OddObject { return true }
    }

    /// Returns the bytes of a segment. Asks for those behind it, too, up to `last`, where answers come from afar.
    mutating func segment(
        _ number: UInt64, of store: ReplicaID, through last: UInt64, _ ahead: inout ObjectsAhead
    ) async throws -> [UInt8]? {
        let name = RemoteLayout.segment(number, of: store)
        if !ahead.contains(name) {
            let count = min(UInt64(max(1, transport.requestsAtOnce)), last >= number ? last - number + 1 : 1)
            let names = (number..<number + count).map { RemoteLayout.segment($0, of: store) }
            for _ in names { try beginRequest() }
            await ahead.ask(names, limit: Segment.byteLimit, at: transport)
        }
        do { return try ahead.take(name) } catch { throw Self.isolated(error, name) }
    }

    /// Returns the packs and segments in the folder of a store that a listing shows, in order of name, at most 8000.
    ///
    /// The listing may be outdated.
    mutating func objects(of store: ReplicaID) async throws -> [(name: ObjectName, kind: RemoteLayout.Kind)] {
        var names: [ObjectName] = []
        for _ in 0..<8 {
            try beginRequest()
            let page = try await transport.list(
                prefix: RemoteLayout.folder(of: store), startAfter: names.last, limit: 1000)
            names += page
            if page.count < 1000 { break }
        }
        return names.compactMap { name in
            RemoteLayout.kind(of: name, of: store).flatMap { $0 == .catalog ? nil : (name, $0) }
        }
    }

    /// Returns an error about one object as one that concerns only its store.
    static func isolated(_ error: TransportError, _ name: ObjectName) -> any Error {
        let file = name.parts.last ?? name.description
        switch error {
        case .refused(name, let reason): return OddObject(text: "Its object \(file) cannot be read. \(reason)")
        case .refused(_, let reason): return QuarantineReason("Its folder cannot be read. \(reason)")
        case .notPermitted(let reason), .noKey(let reason):
            return QuarantineReason("Its object \(file) cannot be read: \(reason)")
        case .tooLarge(_, let count):
            return OddObject(text: "Its object \(file) has \(count) bytes, which is more than any such object.")
        case .unreachable, .full, .notThere: return error
        }
    }
}
