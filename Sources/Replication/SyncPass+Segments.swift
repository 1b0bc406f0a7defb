import GroundwaveEvents

/// Something under the name of a segment that no store has put there: a folder, a link, a device, a file of any size.
struct OddObject: Error {
    /// What it is, in a sentence.
    let text: String
}

extension SyncPass {
    /// Returns the bytes of a segment, or some of them; `nil` if there is none.
    ///
    /// - Throws: ``OddObject`` if something else has its name; ``QuarantineReason`` if nothing of the store can be read.
    ///   Both concern this store alone. Other errors concern the remote.
    mutating func segment(
        _ number: UInt64, of store: ReplicaID, range: Range<Int>? = nil, limit: Int = Segment.byteLimit
    ) async throws -> [UInt8]? {
        let name = RemoteLayout.segment(number, of: store)
        try beginRequest()
        do { return try await transport.get(name, range: range, limit: limit) } catch {
            throw Self.isolated(error, name, number)
        }
    }

    /// Returns an error about one object as one that concerns only its store.
    static func isolated(_ error: TransportError, _ name: ObjectName, _ number: UInt64) -> any Error {
        switch error {
        case .refused(name, let reason): OddObject(text: "Its segment \(number) cannot be read. \(reason)")
        case .refused(_, let reason): QuarantineReason("Its folder cannot be read. \(reason)")
        case .notPermitted(let reason): QuarantineReason("Its segment \(number) cannot be read: \(reason)")
        case .tooLarge(_, let count):
            OddObject(text: "Its segment \(number) has \(count) bytes, which is more than any segment.")
        case .unreachable, .full, .notThere: error
        }
    }
}
