import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveRecords

extension Kinds {
    /// The version of the layout of the views; increased with every change to the meaning of a row.
    static var viewVersion: UInt64 { 10 }

    /// A hash of the layout of the views, of everything that this program derives, and of the changes to the name resolution
    /// in `log`: for views that lie beside the log for this program alone.
    func signature(for log: EventLog) throws -> UInt64 {
        var writer = ByteWriter()
        writer.append(littleEndian: try Self.layout(for: log, of: VersionVector()))
        for derivation in derivations { writer.append(littleEndian: derivation.fingerprint) }
        return writer.withSpan { Hash256(hashing: $0) }.prefix
    }

    /// A number for the layout of rows of records, and, if there are any, the number of changes to the name resolution in
    /// `log`, and which events of `vector` do not count: for data stored beside the log, which depends on these, and not on
    /// the kinds.
    static func layout(for log: EventLog, of vector: VersionVector) throws -> UInt64 {
        let resolutions = try log.resolutionsCount()
        let ranges = vector.entries.map { EventRange($0.replica, 1, through: $0.sequence) }
        let uncounted = try log.roster()?.uncounted(among: ranges) ?? EventSet()
        if resolutions == 0, uncounted.isEmpty { return viewVersion }
        var writer = ByteWriter()
        writer.append(littleEndian: viewVersion)
        writer.append(littleEndian: resolutions)
        writer.append(contentsOf: [UInt8](uncounted.text.utf8))
        return writer.withSpan { Hash256(hashing: $0) }.prefix
    }
}
