import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore

/// An archive that was made of a log.
public struct ArchiveMade: Hashable, Sendable {
    /// When it was made.
    public let stamp: Stamp
    /// The checksum at the end of its file, in hexadecimal.
    public let fileHash: String
}

extension Store {
    /// Returns the archives made of this log that cover an event of any of `ids`, oldest first. Their files, if they
    /// still exist, hold the values of these events.
    ///
    /// Cost: a look-up for each event of these records, and one for each archive.
    ///
    /// - Throws: As ``read(_:)``; an error of the log if an event of these records cannot be read.
    public func archives(covering ids: [RecordID], kind: String) throws -> [ArchiveMade] {
        var events: [EventID] = []
        for id in ids {
            for position in try positions(of: kind, id) {
                if let event = try log.withEvent(at: position, { frame, _ in frame.id }) { events.append(event) }
            }
        }
        var found: [(position: Position, id: RecordID)] = []
        try read { view in
            try view.forEachRecord(of: ArchiveKind.name) { record in
                let covered = try ArchiveKind.events(of: record, in: log)
                if events.contains(where: covered.contains) { found.append((record.firstPosition, record.id)) }
                return true
            }
        }
        return try found.sorted { $0.position < $1.position }.compactMap { item in
            guard let record = try record(ArchiveKind.name, item.id),
                let stamp = try log.withEvent(at: item.position, { frame, _ in frame.stamp })
            else { return nil }
            let hash = ArchiveKind.schema.value(of: "FILE", in: record) ?? []
            return ArchiveMade(stamp: stamp, fileHash: String(decoding: hash, as: UTF8.self))
        }
    }
}
