import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat

extension RemoteInventory {
    /// Reads all segments and packs at `transport`, and yields every valid range in them.
    ///
    /// Leaves out what a new device could not pull: a damaged object, and the ranges behind an invalid one in an object.
    ///
    /// - Returns: The number of objects left out, all or in part; `nil` if no log is there.
    /// - Throws: ``TransportError``; ``RemoteError`` if the remote is of another log.
    /// - Complexity: O(bytes of the remote); one object in memory.
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
        for store in try await stores(at: transport) {
            for name in try await names(of: store, at: transport) where name != RemoteLayout.catalog(of: store) {
                let bytes: [UInt8]
                do throws(TransportError) {
                    guard let found = try await transport.get(name, range: nil, limit: Segment.byteLimit) else {
                        continue
                    }
                    bytes = found
                } catch {
                    switch error {
                    case .tooLarge, .refused: unreadable += 1
                    default: throw error
                    }
                    continue
                }
                guard let segment = try? Segment(reading: bytes, of: log), segment.store == store else {
                    unreadable += 1
                    continue
                }
                let frames = segment.ranges.prefix { (try? RangeFrame(reading: $0, of: log)) != nil }
                if frames.count < segment.ranges.count { unreadable += 1 }
                for bytes in frames { try body(try RangeFrame(checkedBefore: bytes)) }
            }
        }
        return unreadable
    }
}
