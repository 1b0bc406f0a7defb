import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore
import GroundwaveWording

/// When events of each kind, and of each import, were written: what no index of the log tells.
///
/// The log is read once, and then only what was appended. Memory: 16 bytes for each event.
actor Census {
    private struct Tally {
        let content: LogContent
        let declared: ClockDeclarations
        var position: Position = 0
        /// The times of the events of each kind, ascending.
        var kinds: [String: [Int64]] = [:]
        /// The times of what each import has written, ascending; `nil` for what was written by hand.
        var imports: [RecordID?: [Int64]] = [:]
    }

    private var tally: Tally?

    /// Returns a lane for each kind, or for each import, that has events within the grid.
    ///
    /// - Throws: ``StoreError`` if the log cannot be read.
    /// - Complexity: At first a scan of the log, about a microsecond for each event; then a search for each step.
    func lanes(on grid: TimeGrid, by grouping: Timeline.Grouping, in store: Store) throws -> [Timeline.Lane] {
        try store.describing { try catchUp(store) }
        guard let tally else { return [] }
        guard grouping == .imports else { return tally.kinds.compactMap { Self.lane($0, $1, on: grid) } }
        var lanes: [String: Timeline.Lane] = [:]
        for (id, times) in tally.imports {
            guard let lane = Self.lane(try Self.name(of: id, in: store), times, on: grid) else { continue }
            // A file that is imported again and again is one lane.
            lanes[lane.name] = lanes[lane.name].map { $0.joined(with: lane) } ?? lane
        }
        return Array(lanes.values)
    }

    private static func lane(_ name: String, _ times: [Int64], on grid: TimeGrid) -> Timeline.Lane? {
        let ends = grid.bounds.map { bound in count(of: times, before: bound) }
        guard ends[grid.count] > ends[0] else { return nil }
        return Timeline.Lane(name: name, counts: (0..<grid.count).map { ends[$0 + 1] - ends[$0] })
    }

    /// What the lane of an import is called: its file.
    private static func name(of id: RecordID?, in store: Store) throws -> String {
        guard let id else { return "by hand" }
        let file = try store.record(ImportKind.name, id).flatMap { ImportKind.schema.value(of: "FILE", in: $0) }
        return file.map { RecordText.short(RecordText.text($0), 60) } ?? "import \(id.short)"
    }

    private func catchUp(_ store: Store) throws {
        let (content, declared) = (try store.log.content(), try store.views.declaredClocks())
        var next =
            tally.flatMap { $0.content == content && $0.declared == declared ? $0 : nil }
            ?? Tally(content: content, declared: declared)
        // What is kept while the new rows come in would be copied.
        tally = nil
        let start = next.position + 1
        var (kinds, imports): ([String: [Int64]], [RecordID?: [Int64]]) = ([:], [:])
        // The times of the batch so far: its last event tells whether it is of an import.
        var batch: [Int64] = []
        try store.log.scan(from: start) { position, frame, bytes in
            let moment = declared.stamp(frame.stamp, of: frame.id.replica).milliseconds
            batch.append(moment)
            let shape = bytes.extracting(frame.shape)
            let reader = try? ChangeReader(shape: shape, isWithheld: frame.isWithheld, by: frame.names(in: bytes))
            let kind = reader.map { String(decoding: shape.extracting($0.kind).toArray(), as: UTF8.self) }
            if let kind { kinds[kind, default: []].append(moment) }
            if frame.rest == 0 {
                imports[kind == ImportKind.name ? reader?.record : nil, default: []] += batch
                batch.removeAll(keepingCapacity: true)
                next.position = position
            }
            return true
        }
        Self.add(kinds, to: &next.kinds)
        Self.add(imports, to: &next.imports)
        tally = next
    }

    private static func add<Key: Hashable>(_ new: [Key: [Int64]], to all: inout [Key: [Int64]]) {
        for (name, times) in new {
            all[name, default: []] += times
            all[name]?.sort()
        }
    }

    private static func count(of times: [Int64], before moment: Int64) -> Int {
        var (low, high) = (0, times.count)
        while low < high {
            let middle = (low + high) / 2
            if times[middle] < moment { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
