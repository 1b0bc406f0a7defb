import Foundation
import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveRecords

/// Writes a snapshot of the views at one vector, piece by piece. Holds no transaction between pieces, so other
/// processes can write to the store meanwhile.
struct SnapshotWriter {
    private let views: PastViews
    private let vector: VersionVector
    private var file: ChunkedFileWriter
    private var end = SnapshotEnd()

    /// - Parameter sink: Receives the bytes of the file, piece by piece.
    init(of views: PastViews, sink: @escaping ([UInt8]) throws -> Void) throws {
        precondition(views.filter.vector != nil && !views.filter.altersHistory, "A snapshot is of a whole vector.")
        self.views = views
        vector = views.filter.vector ?? VersionVector()
        file = try ChunkedFileWriter(magic: SnapshotFormat.magic, sink: sink)
    }

    /// Writes the whole snapshot.
    ///
    /// - Returns: A description of the snapshot; `nil` if the views were rebuilt meanwhile: then the caller must
    ///   start again.
    mutating func write(created: Int64) throws -> SnapshotInformation? {
        let log = views.log
        let (names, kinds) = try views.read { (view: borrowing ViewReader) in (view.names, try view.kindsWithRecords())
        }
        let head = SnapshotHead(
            log: log.id, created: created, layout: try Kinds.layout(for: log, of: vector),
            replicas: try vector.entries.map { entry in
                let last = EventID(entry.replica, entry.sequence)
                guard let edge = try log.edge(of: entry.replica, through: entry.sequence),
                    let context = try log.context(of: last)
                else { throw ViewError.stale }
                return SnapshotHead.Replica(last: last, edge: edge, context: context)
            }, names: names)
        try file.append(.head, head.bytes)
        let runs = try log.runIndex()
        for kind in kinds {
            guard try write(kind, names, runs) else { return nil }
        }
        try writeBlocks()
        try writeResidue()
        let hash = try file.finish(end.bytes)
        return SnapshotInformation(
            hash: hash, log: log.id, vector: vector,
            created: created, byteCount: file.byteCount, kinds: end.kinds, residue: end.residue)
    }

    /// Writes the records of one kind. Returns `false` if the local numbers have changed their meaning meanwhile.
    private mutating func write(_ kind: String, _ names: Names, _ runs: RunIndex) throws -> Bool {
        var total = SnapshotInformation.Kind(name: kind, records: 0, visible: 0)
        var next: RecordID? = RecordID(high: 0, low: 0)
        while let start = next {
            next = nil
            var columns = RecordColumnsWriter()
            let isSame = try views.read { view in
                guard names.isPrefix(of: view.names) else { return false }
                try view.forEachState(of: kind, from: start) { id, state in
                    if columns.count == SnapshotFormat.recordsPerChunk
                        || columns.byteCount > SnapshotFormat.bytesPerChunk
                    {
                        next = id
                        return false
                    }
                    let history = state.history.positions.compactMap { position in
                        runs.event(at: position).flatMap { event in
                            names.knownOrdinal(of: event.replica).map { (replica: $0, sequence: event.sequence) }
                        }
                    }
                    columns.append(id, state, history: history)
                    total.records += 1
                    if state.isVisible { total.visible += 1 }
                    return true
                }
                return true
            }
            guard isSame else { return false }
            if columns.count == 0 { continue }
            var content = ByteWriter(capacity: columns.byteCount + 1024)
            content.append(text: kind)
            content.append(varint: columns.count)
            content.append(contentsOf: columns.encode())
            try file.append(.records, content.bytes)
        }
        end.kinds.append(total)
        return true
    }

    /// Writes the blocks of series, without their items.
    private mutating func writeBlocks() throws {
        var content = ByteWriter()
        try views.read { view in
            content.removeAll()
            try view.forEachBlock { kind, record, block, summary in
                content.append(block, of: kind, record, summary: summary)
                if content.count > SnapshotFormat.bytesPerChunk {
                    try file.append(.blocks, content.bytes)
                    content.removeAll()
                }
            }
        }
        if content.count > 0 { try file.append(.blocks, content.bytes) }
    }

    /// Writes the events that could not be folded, unchanged, since a later version may know them.
    private mutating func writeResidue() throws {
        var content = ByteWriter()
        for event in try views.read({ try $0.unreadEvents() }) {
            let isWritten: Void? = try views.log.withEvent(at: event.position) { frame, bytes in
                content.append(contentsOf: bytes.extracting(0..<frame.length))
            }
            guard isWritten != nil else { throw ViewError.stale }
            end.residue += 1
            if content.count > SnapshotFormat.bytesPerChunk {
                try file.append(.residue, content.bytes)
                content.removeAll()
            }
        }
        if content.count > 0 { try file.append(.residue, content.bytes) }
    }
}
