import Foundation

/// A falsehood that is introduced at the end of a trial, to test its check: the check must find each of them.
enum Forgery: String, CaseIterable {
    case moreEvents = "the witness promised an event, or a row, more than was written"
    case anotherEvent = "the witness promised another content of an event"
    case damagedLog = "the log was damaged"
}

extension Promises {
    /// The promises, with one that was never kept; `nil` if there is nothing to forge.
    func forged(_ forgery: Forgery) -> Promises? {
        var forged = self
        switch forgery {
        case .moreEvents:
            if let trace = traces.keys.min() {
                // More rows than promised may be there, but not this many more.
                forged.traces[trace, default: 0] += 1_000_000
                return forged
            }
            guard var event = events.last else { return nil }
            event.sequence += 1_000_000
            forged.events.append(event)
        case .anotherEvent:
            guard var event = forged.events.popLast() else { return nil }
            event.leaf = event.leaf == "0" ? "1" : "0"
            forged.events.append(event)
        case .damagedLog: if events.isEmpty, traces.isEmpty { return nil }
        }
        return forged
    }
}

extension Trial {
    /// Whether the check finds the forgery; `nil` if it cannot be made for this trial.
    func finds(_ forgery: Forgery) throws -> Bool? {
        // The store of a recovery trial is damaged already, and is recovered from more damage.
        if forgery == .damagedLog, subject == .recovery { return nil }
        guard let forged = promises.forged(forgery) else { return nil }
        try forged.write(to: "\(folder)/promises")
        if forgery == .damagedLog { try damageLog() }
        let ended = try Child(arguments: ["check", subject.check, folder], boot: boot, folder: folder).run()
        var found = Promises()
        found.consume(ended.text)
        switch forgery {
        case .moreEvents: return forged.traces.isEmpty ? found.lost == 1 : found.lost > 0
        case .anotherEvent: return !found.wrong.isEmpty
        // A witness of rows has no events that could be missing.
        case .damagedLog: return !found.wrong.isEmpty && (found.lost > 0 || promises.events.isEmpty)
        }
    }

    /// Fills all of the log but its meta pages with zeros, as if it had been left by a process that was killed.
    private func damageLog() throws {
        let isLean = if case .lean = subject { true } else { false }
        let path = isLean ? LeanSession.path(in: folder) : "\(StoreSession.path(in: folder))/log.mdb"
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        let first = min(bytes.count, 2 * 4096)
        bytes.replaceSubrange(first..., with: repeatElement(0, count: bytes.count - first))
        try DamagedCopy.overwrite(path, with: bytes)
        if !isLean { try MadeStore.leave(folder, isUnclean: true) }
    }
}

extension Lane {
    /// The control of a lane that judges files itself, and the answers of other processes about them: an intact log
    /// from which one event too many is expected, and an intact store from which other answers are expected.
    func control(_ made: MadeStore, _ log: IntactLog, _ truth: Answers) throws {
        guard settings.unit == nil else { return }
        let found = try log.withOneMore.judge("\(made.store)/log.mdb", hit: [], mustBeSeen: false)
        controlled(0, Forgery.moreEvents.rawValue, isFound: !found.wrong.isEmpty)
        let copy = try DamagedCopy(of: made, in: "\(made.folder)/control")
        let outcome = try copy.read(isUnclean: false, truth.altered, events: log.ids.count)
        controlled(0, "an answer was another one", isFound: !outcome.wrong.isEmpty)
        copy.remove()
    }
}
