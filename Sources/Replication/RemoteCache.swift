import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents

/// The remote cache: what a store remembers of a remote between two sync passes.
///
/// All of it is a hint: with an empty cache the next pass reads everything again, with the same result.
public struct RemoteCache: Hashable, Sendable {
    /// The number of the segment of each store to read, or to write, next.
    public internal(set) var next: [ReplicaID: UInt64] = [:]
    /// The catalog of each store up to which everything was read, or which this store has written.
    public internal(set) var catalogs: [ReplicaID: KnownCatalog] = [:]
    /// The stores whose objects others have taken over, with their histories.
    public internal(set) var takenOver: [ReplicaID: UInt64] = [:]
    /// The events at the remote, up to the first missing event of each branch.
    public internal(set) var vector = VersionVector()
    /// The ranges at the remote after missing events.
    public internal(set) var kept: Set<EventRange> = []
    /// The ranges at the remote that were not in the log when they were pulled: its events with these numbers may be
    /// others.
    public internal(set) var pending: Set<RetainedRange> = []
    /// The latest manifest of each store.
    public internal(set) var manifests: [ReplicaID: Manifest] = [:]
    /// The time of the manifest of each store whose requests this store has answered.
    public internal(set) var answered: [ReplicaID: Int64] = [:]
    /// The folders of stores of other logs, with these.
    public internal(set) var strangers: [ReplicaID: LogID] = [:]
    /// The events that were pushed again since ``repeatedSince``, by this store or another one.
    public internal(set) var repeated = EventSet()
    /// When the day began of which ``repeated`` tells, by this device's clock, in milliseconds since 1970.
    public internal(set) var repeatedSince: Int64 = 0
    /// The numbers of the segments of each store that were skipped because they were missing or damaged. Their events
    /// are requested again.
    public internal(set) var unread: [ReplicaID: Set<UInt64>] = [:]
    /// The events that the log had and could prove at the end of the last pass.
    public internal(set) var pulled = VersionVector()
    /// When everything was last read, by this device's clock, in milliseconds since 1970.
    public internal(set) var lastFullPass: Int64 = 0

    /// Creates an empty cache.
    public init() {}

    static let magic: UInt32 = 0x364E_5747
    fileprivate static let countLimit = 1 << 16

    /// Creates the cache from `bytes`; empty if they are invalid.
    public init(reading bytes: [UInt8]) {
        self.init()
        let span = bytes.span.bytes
        guard span.byteCount >= 8, span.uint32(at: 0) == Self.magic,
            CRC32C.checksum(span.extracting(0..<span.byteCount - 4)) == span.uint32(at: span.byteCount - 4)
        else { return }
        var reader = ByteReader(at: 4)
        var cache = RemoteCache()
        do throws(ByteCodingError) {
            cache.lastFullPass = Int64(bitPattern: try reader.uint64(in: span))
            for (store, number) in try reader.numbers(in: span) { cache.next[store] = number }
            for _ in 0..<(try reader.count(in: span, limit: Self.countLimit)) {
                let store: ReplicaID = try reader.id(in: span)
                cache.catalogs[store] = KnownCatalog(
                    history: try reader.uint64(in: span), number: try reader.uint64(in: span),
                    mark: try reader.uint64(in: span))
            }
            for (store, history) in try reader.numbers(in: span) { cache.takenOver[store] = history }
            for (replica, last) in try reader.numbers(in: span) { cache.vector[replica] = last }
            for _ in 0..<(try reader.count(in: span, limit: Self.countLimit)) {
                if let range = try reader.range(in: span) { cache.kept.insert(range) }
            }
            for _ in 0..<(try reader.count(in: span, limit: Self.countLimit)) {
                if let range = try reader.retainedRange(in: span) { cache.pending.insert(range) }
            }
            for _ in 0..<(try reader.count(in: span, limit: Self.countLimit)) {
                if let manifest = try reader.manifest(in: span) { cache.manifests[manifest.store] = manifest }
            }
            for (store, milliseconds) in try reader.numbers(in: span) {
                cache.answered[store] = Int64(bitPattern: milliseconds)
            }
            for (store, number) in try reader.numbers(in: span) { cache.unread[store, default: []].insert(number) }
            for (replica, last) in try reader.numbers(in: span) { cache.pulled[replica] = last }
            for _ in 0..<(try reader.count(in: span, limit: Self.countLimit)) {
                let store: ReplicaID = try reader.id(in: span)
                cache.strangers[store] = try reader.id(in: span)
            }
            cache.repeatedSince = Int64(bitPattern: try reader.uint64(in: span))
            for _ in 0..<(try reader.count(in: span, limit: Self.countLimit)) {
                if let range = try reader.range(in: span) { cache.repeated.insert(range) }
            }
        } catch { return }
        self = cache
    }

    /// The encoded cache.
    public var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.append(littleEndian: Self.magic)
        writer.append(littleEndian: lastFullPass)
        writer.append(numbers: next.map { ($0.key, $0.value) })
        writer.append(varint: catalogs.count)
        for (store, catalog) in catalogs.sorted(by: { $0.key < $1.key }) {
            writer.append(store)
            writer.append(littleEndian: catalog.history)
            writer.append(littleEndian: catalog.number)
            writer.append(littleEndian: catalog.mark)
        }
        writer.append(numbers: takenOver.map { ($0.key, $0.value) })
        writer.append(numbers: vector.entries.map { ($0.replica, $0.sequence) })
        writer.append(varint: kept.count)
        for range in kept.sorted(by: { $0.isBefore($1) }) { writer.append(range) }
        writer.append(varint: pending.count)
        let ordered = pending.sorted {
            $0.range == $1.range ? $0.rootPrefix < $1.rootPrefix : $0.range.isBefore($1.range)
        }
        for range in ordered { writer.append(range) }
        writer.append(varint: manifests.count)
        for (_, manifest) in manifests.sorted(by: { $0.key < $1.key }) { writer.append(manifest) }
        writer.append(numbers: answered.map { ($0.key, UInt64(bitPattern: $0.value)) })
        writer.append(numbers: unread.flatMap { store, numbers in numbers.map { (store, $0) } })
        writer.append(numbers: pulled.entries.map { ($0.replica, $0.sequence) })
        writer.append(varint: strangers.count)
        for (store, log) in strangers.sorted(by: { $0.key < $1.key }) {
            writer.append(store)
            writer.append(log)
        }
        writer.append(littleEndian: repeatedSince)
        let again = repeated.writtenRanges.prefix(Self.countLimit)
        writer.append(varint: again.count)
        for range in again { writer.append(range) }
        writer.appendChecksum(from: 0)
        return writer.bytes
    }

    /// Records the manifest received over a direct peer connection: the remote then has exactly the events of that
    /// peer.
    public mutating func record(_ manifest: Manifest) {
        manifests[manifest.store] = manifest
        vector = manifest.vector
        kept = Set(manifest.kept.map(\.range))
        pending = []
    }

    /// Whether the manifest of a store is from the catalog that it has signed.
    package func hasCatalog(of store: ReplicaID) -> Bool { catalogs[store] != nil }

    /// Counts the pending ranges whose events are now in `log`, and forgets those that are no longer retained.
    mutating func settle(with log: some ReplicatedLog, _ manifest: Manifest) throws {
        for one in pending {
            let isHere = try log.root(of: one.range.replica, through: one.range.last)?.prefix == one.rootPrefix
            if isHere { add(one.range) }
            if isHere || !manifest.apart.contains(one) { pending.remove(one) }
        }
    }

    /// Forgets what was pushed again, if that is longer ago than a day, or if the clock was set back.
    mutating func beginDay(at milliseconds: Int64, lasting day: Int64) {
        let (passed, overflow) = milliseconds.subtractingReportingOverflow(repeatedSince)
        guard overflow || !(0..<day).contains(passed) else { return }
        repeated = EventSet()
        repeatedSince = milliseconds
    }

    /// Records that a range is at the remote.
    mutating func add(_ range: EventRange) {
        // Numbers from other stores may be the maximum, so adding to them could overflow.
        guard range.first - 1 <= vector[range.replica] else {
            kept.insert(range)
            return
        }
        vector[range.replica] = max(vector[range.replica], range.last)
        // Ranges after the missing events may follow directly now.
        while let next = kept.first(where: { $0.replica == range.replica && $0.first - 1 <= vector[$0.replica] }) {
            kept.remove(next)
            vector[next.replica] = max(vector[next.replica], next.last)
        }
    }
}

/// What a store remembers of the catalog of another one, or of its own.
public struct KnownCatalog: Hashable, Sendable {
    /// The history at the remote that it is of.
    let history: UInt64
    /// Its number in that history.
    let number: UInt64
    /// The beginning of its signature.
    let mark: UInt64

    init(history: UInt64, number: UInt64, mark: UInt64) {
        (self.history, self.number, self.mark) = (history, number, mark)
    }

    /// `bytes` are those of `catalog`.
    init(_ catalog: Catalog, _ bytes: [UInt8]) {
        self.init(history: catalog.history, number: catalog.number, mark: Catalog.mark(of: bytes))
    }
}

extension ByteReader {
    /// Reads a count, then as many replicas, each with a number.
    fileprivate mutating func numbers(
        in bytes: RawSpan
    ) throws(ByteCodingError) -> [(replica: ReplicaID, number: UInt64)] {
        var numbers: [(replica: ReplicaID, number: UInt64)] = []
        for _ in 0..<(try count(in: bytes, limit: RemoteCache.countLimit)) {
            let replica: ReplicaID = try id(in: bytes)
            numbers.append((replica, try uint64(in: bytes)))
        }
        return numbers
    }
}

extension ByteWriter {
    /// Appends the count of `numbers`, then each replica with its number, in order.
    fileprivate mutating func append(numbers: [(ReplicaID, UInt64)]) {
        append(varint: numbers.count)
        for (replica, number) in numbers.sorted(by: { $0 < $1 }) {
            append(replica)
            append(littleEndian: number)
        }
    }
}

extension EventRange {
    fileprivate func isBefore(_ other: EventRange) -> Bool {
        (replica, first, last) < (other.replica, other.first, other.last)
    }
}
