import GroundwaveByteCoding
import GroundwaveEvents

/// What can go wrong in a log, beside what LMDB itself reports.
public enum EventLogError: Error, Hashable, Sendable {
    /// The file is an LMDB file, but no log of ours.
    case notALog
    /// The log has a format that this version does not read.
    case unknownFormat(UInt32)
    /// A row of the log that must be there is missing or malformed.
    case damaged(String)
    /// The values of this event were moved to an archive, and are not here.
    case archived(EventID)
    /// The frame at `position` is damaged.
    case damagedFrame(position: Position, FrameError)
    /// A batch has more events or bytes than ``EventLimits`` allow; nothing was appended.
    case batchTooLarge(count: Int, bytes: Int)
    /// An event came before the one it follows: `expected` is the number that would be next.
    case outOfSequence(EventID, expected: SequenceNumber)
    /// The store does not write as this replica, or does not any more: it has to be claimed first.
    case notClaimed(ReplicaID)
    /// Another log lies at the path now, such as one that was recovered or put back; nothing was written to it.
    case anotherLog
    /// After a failed commit the end of the log was not as it must be. Nothing is acknowledged any more.
    case tailLost(expected: Position, found: Position)
}

extension Frame {
    /// Reads the frame at `position` of a log without looking at its checksum; a damaged one names its position.
    @inlinable
    package init(_ bytes: RawSpan, at position: Position) throws(EventLogError) {
        do throws(FrameError) { try self.init(parsing: bytes) } catch {
            throw .damagedFrame(position: position, error)
        }
    }

    /// Reads the frame at `position` of a log and checks its checksum; a damaged one names its position.
    @inlinable
    package init(verifying bytes: RawSpan, at position: Position) throws(EventLogError) {
        do throws(FrameError) { try self.init(verifying: bytes) } catch {
            throw .damagedFrame(position: position, error)
        }
    }
}
