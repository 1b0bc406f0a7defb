import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat

extension RemoteInventory {
    /// Reads all segments at `transport`, and yields every valid range in them.
    ///
    /// Leaves out what a new device could not pull: a damaged segment, and, from a segment with an invalid range on,
    /// the rest of that store.
    ///
    /// - Returns: The number of segments left out, counting the rest of a store as one; `nil` if no log is there.
    /// - Throws: ``TransportError``; ``RemoteError`` if the remote is of another log.
    /// - Complexity: O(bytes of the remote); one segment in memory.
    public static func forEachRange(
        at transport: any Transport, of log: LogID, _ body: (RangeFrame) throws -> Void
    ) async throws -> Int? {
        switch try await RemoteLayout.mark(at: transport) {
        case .none: return nil
        case .invalid: throw RemoteError.notARemote
        case .cut: throw RemoteError.notReady
        case .log(let found): guard found == log else { throw RemoteError.otherLog(found) }
        }
        var unreadable = 0
        for name in try await transport.folders(prefix: RemoteLayout.stores, limit: RemoteLimits.storeCount) {
            guard let store = ReplicaID(text: name), "\(store)" == name else { continue }
            for name in try await names(in: RemoteLayout.segments(of: store), at: transport) {
                guard RemoteLayout.number(of: name, of: store) != nil else { continue }
                let bytes: [UInt8]
                do throws(TransportError) {
                    guard let found = try await transport.get(name, range: nil, limit: Segment.byteLimit) else {
                        continue
                    }
                    bytes = found
                } catch {
                    guard case .tooLarge = error else { throw error }
                    unreadable += 1
                    continue
                }
                guard let segment = try? Segment(reading: bytes, of: log) else {
                    unreadable += 1
                    continue
                }
                let frames = segment.ranges.compactMap { try? RangeFrame(reading: $0, of: log) }
                guard segment.manifest.store == store, frames.count == segment.ranges.count else {
                    unreadable += 1
                    break
                }
                for frame in frames { try body(frame) }
            }
        }
        return unreadable
    }
}
