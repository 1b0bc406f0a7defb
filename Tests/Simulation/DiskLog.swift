import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveReplication

/// A real log in a folder of its own, which goes away with it.
///
/// Nothing is flushed, so that a history costs milliseconds: what a power cut does to the file is for other tests.
final class DiskLog: SimulatedLog {
    private let folder: URL
    private var log: EventLog
    private static let options = Environment.Options(initialMapSizeBytes: 16 << 20, synchronous: false)

    private var path: String { folder.appending(path: "log.mdb").path }
    var id: LogID { log.id }

    private init(_ fill: (_ path: String) throws -> EventLog) throws {
        // Memory, where there is a place in it.
        let memory = "/dev/shm"
        let parent =
            FileManager.default.isWritableFile(atPath: memory)
            ? URL(filePath: memory) : FileManager.default.temporaryDirectory
        folder = parent.appending(path: "groundwave-simulation-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        log = try fill(folder.appending(path: "log.mdb").path)
    }

    deinit {
        try? log.close()
        try? FileManager.default.removeItem(at: folder)
    }

    static func empty(_ id: LogID) throws -> DiskLog {
        try DiskLog { try EventLog.create(at: $0, id: id, epoch: 1, options: options) }
    }

    func copy() throws -> DiskLog {
        try log.close()
        let copy = try DiskLog { path in
            try FileManager.default.copyItem(atPath: self.path, toPath: path)
            return try EventLog(opening: path, options: Self.options)
        }
        log = try EventLog(opening: path, options: Self.options)
        return copy
    }

    func loseMemory() throws {
        try log.close()
        log = try EventLog(opening: path, options: Self.options)
    }

    func append(
        _ batch: DraftBatch, as replica: ReplicaID, arrival: Arrival
    ) throws -> Appended {
        try log.append([batch], as: replica, arrival: arrival)[0]
    }

    func vector() throws -> VersionVector { try log.vector() }

    func lastPosition() throws -> Position { try log.lastPosition() }

    func forEach(from position: Position, _ body: (Position, Frame, RawSpan) throws -> Void) throws {
        try log.scan(from: position) { position, frame, bytes in
            try body(position, frame, bytes)
            return true
        }
    }

    func withEvent(at position: Position, _ body: (Frame, RawSpan) throws -> Void) throws {
        _ = try log.withEvent(at: position, body)
    }

    func checksum(at position: Position) throws -> UInt32? { try log.checksum(at: position) }

    func leaves() throws -> [Hash256] {
        var leaves: [Hash256] = []
        var hasher = MerkleHasher()
        try forEach(from: 1) { _, frame, bytes in leaves.append(hasher.leaf(of: frame, in: bytes)) }
        return leaves
    }

    func observedHeads(before event: EventID) throws -> [ObservedHead] { try log.observedHeads(before: event) }

    func signedHead(of stream: ReplicaID) throws -> SignedHead? { try log.signedHead(of: stream) }

    func keep(_ head: SignedHead, of stream: ReplicaID) throws { try log.keep(head, of: stream) }

    func ownHeads(of identity: Identity) throws -> [(stream: ReplicaID, head: SignedHead)] {
        try log.ownHeads(of: identity)
    }

    func pendingFrames() throws -> [RangeFrame] { try log.pendingFrames() }

    func streams() throws -> Streams { try log.streams() }

    func resolutionsCount() throws -> UInt64 { try log.resolutionsCount() }

    func meaning(of events: EventSet, namedBy event: EventID) throws -> Meaning {
        try Meaning(of: events, namedBy: event, in: log)
    }

    func leaf(of event: EventID) throws -> Hash256? { try log.leaf(of: event) }

    func erased() throws -> EventSet { try log.erased() }

    func erase(_ events: EventSet) throws { try log.erase([EventID(ReplicaID(high: 0, low: 1), 1): events]) }

    func provenVector(signedBy identity: Identity?) throws -> VersionVector {
        try log.provenVector(signedBy: identity)
    }

    func root(of replica: ReplicaID, through sequence: SequenceNumber) throws -> Hash256? {
        try log.root(of: replica, through: sequence)
    }

    func frame(of range: EventRange, signedBy identity: Identity?, preferredBytes: Int) throws -> RangeFrame? {
        try log.frame(of: range, signedBy: identity, preferredBytes: preferredBytes)
    }

    func retainedFrames() throws -> [RangeFrame] { try log.retainedFrames() }

    func missingValues() throws -> EventSet { try log.missingValues() }

    func receive(_ frames: [RangeFrame], arrival: Arrival) throws -> Received {
        try log.receive(frames, arrival: arrival)
    }
}
