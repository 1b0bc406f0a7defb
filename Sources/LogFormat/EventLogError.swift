import GroundwaveByteCoding
import GroundwaveEvents

/// An error of a log, besides those that LMDB itself reports.
public enum EventLogError: Error, Hashable, Sendable {
    /// The file is an LMDB file, but a table or row that identifies a log is missing.
    case notALog
    /// This version cannot read the log's format, which has this number.
    case unknownFormat(UInt32)
    /// A row or event of the log is missing or malformed, or contradicts others. The text names it.
    case damaged(String)
    /// The values of this event were moved to an archive that is not here.
    case archived(EventID)
    /// The frame at `position` is damaged in this way.
    case damagedFrame(position: Position, FrameError)
    /// A batch exceeds the events or bytes that ``EventLimits`` allow; nothing was appended.
    case batchTooLarge(count: Int, bytes: Int)
    /// An event arrived before its predecessor; `expected` is the next number of its replica.
    case outOfSequence(EventID, expected: SequenceNumber)
    /// Events were appended behind the position that the author of a batch had seen; the last one is at `last`. Nothing
    /// was appended.
    case moved(last: Position)
    /// The log is owned by another replica, or ownership was given up: this replica must claim it before it appends.
    case notClaimed(ReplicaID)
    /// Another log is at the path now, such as a recovered one or one restored from a backup; nothing was written to
    /// it.
    case anotherLog
    /// After a failed commit, acknowledged events are missing: the log ends at position `found` instead of `expected`.
    /// No commit is acknowledged any more.
    case tailLost(expected: Position, found: Position)
}

extension Frame {
    /// Parses the frame at `position` of a log without verifying its checksum; errors carry the position.
    @inlinable
    package init(_ bytes: RawSpan, at position: Position) throws(EventLogError) {
        do throws(FrameError) { try self.init(parsing: bytes) } catch {
            throw .damagedFrame(position: position, error)
        }
    }

    /// Parses the frame at `position` of a log and verifies its checksum; errors carry the position.
    @inlinable
    package init(verifying bytes: RawSpan, at position: Position) throws(EventLogError) {
        do throws(FrameError) { try self.init(verifying: bytes) } catch {
            throw .damagedFrame(position: position, error)
        }
    }
}
