import EventLog
import Events
import Foundation

/// What clearing a store takes away, or has taken away.
public struct Clearing: Hashable, Sendable {
    /// Contacts that show.
    public var contacts = 0
    /// Events of all kinds.
    public var events: UInt64 = 0
    /// Of these, the events that exist nowhere else, as far as this device knows: no remote has them.
    public var unsent: UInt64 = 0
    /// Whether everything that others have is fetched again at once, since synchronising is on.
    public var restores = false
    /// Why what exists here alone could not be sent first.
    public var failures: [String] = []
}

extension Store {
    /// What ``clear()`` would take away, after sending what can be sent.
    ///
    /// - Throws: ``StoreError`` with code `notPermitted` where the store can only be read.
    public func prepareClearing() async throws -> Clearing {
        try requireWritable()
        guard try log.base() == nil else {
            throw StoreError(
                .archived, "This store has archived history, of which others may have no values.",
                hint: "Take it back first: groundwave archive --restore FILE.")
        }
        var clearing = Clearing()
        let isOff = try isSyncOff()
        if !isOff {
            for remote in try remotes() {
                do { try await sync(remote) } catch { clearing.failures.append("\(error)") }
            }
        }
        let vector = try log.vector()
        clearing.contacts = try read { try $0.count(.contacts) }
        clearing.events = vector.eventCount
        clearing.unsent = vector.ranges(missingFrom: try sentVector()).reduce(0) { $0 + $1.count }
        clearing.restores = try !isOff && !remotes().isEmpty
        return clearing
    }

    /// Empties this device's store. Nothing is deleted anywhere else, now or later.
    ///
    /// The store stays one of its log, and its remotes and preferences stay. The device goes on as a new replica. Where
    /// synchronising is on, the next ``sync(_:isPulling:isPushing:isFull:)`` brings back what others have; where it is
    /// off, the store stays empty until it is switched on.
    ///
    /// - Throws: ``StoreError``; then nothing was taken away, unless it says so.
    public func clear() async throws {
        try requireWritable()
        guard try log.base() == nil else {
            throw StoreError(.archived, "This store has archived history.", hint: "Take it back first.")
        }
        guard let writer else { preconditionFailure("A store that can be written has a writer.") }
        let names = try remotes().map(\.name)
        // The device keeps its name, which its first event had said.
        if let replica, let name = try deviceNames()[replica] { writer.deviceName = name }
        try await writer.exclusively { [log, followUp, files] in
            // First the new name: a process that dies in between leaves a store that is whole, and nothing is given twice.
            try writer.renew()
            try log.clear()
            // Hints of what lies elsewhere say what was read, and all of it has to be read again.
            for name in names { unlink(files.notes(of: name)) }
            for path in files.snapshots { unlink(path) }
            files.removeUnfinished()
            try followUp.run()
        }
    }
}
