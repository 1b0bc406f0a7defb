import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords
import Logging
import Synchronization

extension Store {
    /// Writes the first event of this device's replica, unless the log has it: its key, and the name of its device.
    ///
    /// The first write does this by itself; `create` calls it so that a new log is never empty.
    ///
    /// - Parameter isNewLog: Whether the log begins with it: then it has the log's key for ids.
    package func introduce(isNewLog: Bool = false) async throws {
        guard let writer else { return }
        // Every sync begins here, and announces the roots of all trees. Leaves hashed before the claim are stored by
        // the claim's commit, so that they are hashed only once; a failure costs only time.
        try? log.sealPending()
        try await writer.exclusively { try writer.introduceIfNew(isNewLog: isNewLog) }
        try views.catchUp()
    }
}

extension Writer {
    /// Goes on as a new replica if the last stamp of this one is far ahead of the clock.
    ///
    /// The stamps of one replica never go down, so each further event would have the wrong time, too.
    func leaveWrongClock() throws {
        let former = replica
        guard let wrong = try WrongClock(of: former, in: log, at: surroundings.now()) else { return }
        let name = try views.read { try $0.deviceName(of: former) }
        try renew()
        author.withLock {
            $0.former = former
            if let name { $0.deviceName = name }
        }
        logger.warning(
            "continues as a new replica: the clock of this device was wrong",
            metadata: [
                "replica": "\(replica.short)", "former": "\(former.short)", "stamp": "\(wrong.last)",
            ])
    }

    /// Appends the first batch of this replica unless the log has it: its key, its device's name, and since when the clock of
    /// the replica that it continues was wrong, if that was so.
    ///
    /// Called on the queue before every append: the replica of a copied store introduces itself with its first write
    /// and not earlier, so that a copy has exactly the events of its origin.
    ///
    /// - Parameter isNewLog: Whether the log begins with it.
    func introduceIfNew(isNewLog: Bool = false) throws {
        try claim()
        let author = author.withLock { $0 }
        if author.isIntroduced { return }
        let vector = try log.vector()
        if vector[replica] == 0 {
            try views.catchUp()
            var batch = newBatch()
            try batch.introduce(
                author.identity, device: deviceName, former: author.former, drawsIDKey: isNewLog)
            let now = surroundings.now()
            // Whatever made this a new replica: what the former one stamped ahead of now was written before now.
            let wrong = try author.former.flatMap { try WrongClock(of: $0, in: log, at: now) }
            if let wrong { try batch.declare(wrong.declaration, of: log.streams().origin(of: wrong.events.replica)) }
            let words =
                switch (author.former == nil, vector.entries.isEmpty) {
                case (true, _): isNewLog ? "A new log" : "A new device"
                case (false, true): "This device continues as a new replica: the store was damaged or cleared"
                case (false, false):
                    wrong.map {
                        "This device continues as a new replica: its clock was ahead by "
                            + UTCText.span(milliseconds: $0.aheadMilliseconds)
                    } ?? "This device continues as a new replica: the store was copied or restored"
                }
            let draft = try batch.draft(AuditNote(author: deviceName, text: words))
            _ = try log.append([draft], as: replica, arrival: now)
        }
        self.author.withLock { $0.isIntroduced = true }
    }
}
