import GroundwaveReplication
import Synchronization

/// A remote, with a count of what is asked of it, how much travels, and how long each answer takes.
struct CountingPlace: Transport {
    let place: any Transport
    let counts: Counts

    /// Requests by what a provider charges for, bytes and durations.
    final class Counts: Sendable {
        struct Values: Sendable {
            var reads = 0
            var writes = 0
            var listings = 0
            var deletes = 0
            var readBytes = 0
            var writtenBytes = 0
            /// In milliseconds.
            var durations: [Double] = []

            var requests: Int { reads + writes + listings + deletes }
        }

        private let values = Mutex(Values())

        /// What was counted since the last call.
        func take() -> Values {
            values.withLock { values in
                defer { values = Values() }
                return values
            }
        }

        /// The first of half a minute is a request: its result is used again by an ``S3Transport``, unless a folder was made.
        fileprivate func addFolders(at now: ContinuousClock.Instant) {
            let isDue = listed.withLock { last in
                if let before = last, now - before < .seconds(30) { return false }
                last = now
                return true
            }
            if isDue { add { $0.listings += 1 } }
        }

        private let listed = Mutex<ContinuousClock.Instant?>(nil)

        fileprivate func add(_ change: (inout Values) -> Void) { values.withLock { change(&$0) } }
    }

    var requestsAtOnce: Int { place.requestsAtOnce }

    private func timed<Result>(
        _ body: () async throws(TransportError) -> Result
    ) async throws(TransportError) -> Result {
        let start = ContinuousClock.now
        let result = try await body()
        let duration = (ContinuousClock.now - start) / .milliseconds(1)
        counts.add { $0.durations.append(duration) }
        return result
    }

    func putIfAbsent(_ name: ObjectName, _ bytes: [UInt8]) async throws(TransportError) -> PutOutcome {
        counts.add { ($0.writes, $0.writtenBytes) = ($0.writes + 1, $0.writtenBytes + bytes.count) }
        return try await timed { () async throws(TransportError) in try await place.putIfAbsent(name, bytes) }
    }

    func replace(_ name: ObjectName, _ bytes: [UInt8]) async throws(TransportError) {
        counts.add { ($0.writes, $0.writtenBytes) = ($0.writes + 1, $0.writtenBytes + bytes.count) }
        try await timed { () async throws(TransportError) in try await place.replace(name, bytes) }
    }

    func get(_ name: ObjectName, range: Range<Int>?, limit: Int) async throws(TransportError) -> [UInt8]? {
        let bytes = try await timed { () async throws(TransportError) in
            try await place.get(name, range: range, limit: limit)
        }
        counts.add { ($0.reads, $0.readBytes) = ($0.reads + 1, $0.readBytes + (bytes?.count ?? 0)) }
        return bytes
    }

    func list(
        prefix: ObjectPrefix, startAfter: ObjectName?, limit: Int
    ) async throws(TransportError) -> [ObjectName] {
        counts.add { $0.listings += 1 }
        return try await timed { () async throws(TransportError) in
            try await place.list(prefix: prefix, startAfter: startAfter, limit: limit)
        }
    }

    func folders(prefix: ObjectPrefix, limit: Int) async throws(TransportError) -> [String] {
        counts.addFolders(at: .now)
        return try await timed { () async throws(TransportError) in
            try await place.folders(prefix: prefix, limit: limit)
        }
    }

    func delete(_ name: ObjectName) async throws(TransportError) {
        counts.add { $0.deletes += 1 }
        try await timed { () async throws(TransportError) in try await place.delete(name) }
    }
}
