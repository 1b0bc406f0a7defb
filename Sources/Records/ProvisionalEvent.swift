import GroundwaveEvents

/// The name of an event while its batch is composed, before the writer gives it a number.
///
/// Numbers are given inside the commit. So a change that supersedes a head of its own batch names it by a number that no
/// event ever has, and its shape says how many events that one is before it.
public struct ProvisionalEvent: Hashable, Sendable {
    /// The event's name: with a number above those of all real events.
    public let id: EventID

    /// No replica writes this many events.
    private static let first: SequenceNumber = 1 << 63

    /// Names an event.
    ///
    /// - Parameters:
    ///   - index: The place of the event in its batch, from 0, at most 2³² − 1.
    ///   - batch: A number that no other batch of this process has, so that names of two batches differ.
    ///   - replica: The replica that composes the batch.
    public init(_ index: Int, ofBatch batch: UInt32, by replica: ReplicaID) {
        id = EventID(replica, Self.first | UInt64(batch & 0x7FFF_FFFF) << 32 | UInt64(UInt32(index)))
    }

    /// Whether `event` has such a name, of whichever batch.
    public static func isName(of event: EventID) -> Bool { event.sequence >= first }

    /// Returns how many events `earlier` is before this one; `nil` unless it is an earlier one of the same batch.
    public func distance(to earlier: EventID) -> UInt64? {
        let isOfBatch = earlier.replica == id.replica && earlier.sequence >> 32 == id.sequence >> 32
        return isOfBatch && earlier.sequence < id.sequence ? id.sequence - earlier.sequence : nil
    }
}
