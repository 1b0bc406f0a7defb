import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveMembership
import GroundwaveRecords
import Synchronization

/// Folds single records from their events: as a record was at some point, or would be without some events.
///
/// If the values of old events were archived, a record starts from the archive snapshot. A fold that needs the
/// archived values themselves throws ``EventLog/EventLogError/archived(_:)``.
public final class RecordHistory: Sendable {
    /// The log that contains the events.
    public let log: EventLog
    private let kinds: Kinds
    private let opened = Mutex<OpenBase?>(nil)

    init(of log: EventLog, kinds: Kinds) {
        self.log = log
        self.kinds = kinds
    }

    /// The records of an archive snapshot, in a temporary file that is deleted with this object.
    private final class OpenBase: Sendable {
        /// The generation of the log. Late events cannot affect archived history, so this alone decides whether it is
        /// current.
        let generation: LogGeneration
        let vector: VersionVector
        let environment: Environment
        private let path: String

        init(_ base: LogBase, of log: EventLog, kinds: Kinds, _ content: LogContent) throws {
            path = FileManager.default.temporaryDirectory.appending(path: "groundwave-base-\(UUID().uuidString)").path
            generation = content.generation
            vector = base.vector
            environment = try Views.beginning(at: path, of: log, kinds: kinds, content)
        }

        deinit {
            environment.close()
            unlink(path)
            unlink("\(path)-lock")
        }
    }

    /// Folds the events at `positions`, all of one record, under `filter` with the declarations that count, and returns
    /// the state.
    ///
    /// Cost: about 1 us per event, for a look-up and a fold. The first record of a log with archived history also
    /// costs the loading of the archive snapshot.
    ///
    /// - Parameter unread: Called for an event that cannot be folded, and leaves the state unchanged; may throw.
    func state(
        of kind: String, _ record: RecordID, foldedFrom positions: [Position], _ filter: EventFilter,
        names: inout Names, unread: (Position, ChangeError) throws -> Void = { throw $1 }
    ) throws -> RecordState {
        let base = try openBase()
        let roster = try log.roster()
        var state = RecordState()
        // Whether other declarations count than those among the archived events.
        var isRestamped = false
        if let base {
            try base.environment.read { transaction in
                try ViewReader.lend(transaction, kinds: kinds) { view in
                    guard view.names.isPrefix(of: names) else { throw ViewError.stale }
                    isRestamped = try view.declaredClocks() != filter.declared ?? ClockDeclarations()
                    if let known = try view.storedState(of: kind, record) { state = known }
                }
            }
        }
        try log.withEvents(at: positions) { position, frame, bytes in
            if let base, base.vector.contains(frame.id) {
                guard filter.includes(frame.id), filter.clockShifts[frame.id.replica] == nil else {
                    throw EventLogError.archived(frame.id)
                }
                if isRestamped {
                    state.restamp(
                        names.ordinal(of: frame.id.replica), frame.id.sequence, filter.stamp(of: frame.id, frame.stamp))
                }
                return
            }
            guard filter.includes(frame.id), roster?.folds(frame.id, kind: kind, record: record) ?? true else { return }
            do throws(ChangeError) {
                try state.fold(
                    frame, of: record, in: bytes, stamp: filter.stamp(of: frame.id, frame.stamp), position: position,
                    names: &names)
            } catch { try unread(position, error) }
        }
        return state
    }

    /// Returns the first event that says anything of `record`, among those at `positions`, which may only be related to it.
    package func firstEvent(of record: RecordID, at positions: [Position]) throws -> EventID? {
        for position in positions {
            let event = try log.withEvent(at: position) { frame, bytes in
                frame.affects(record, in: bytes) ? frame.id : nil
            }
            if let event, let event { return event }
        }
        return nil
    }

    private func openBase() throws -> OpenBase? {
        let content = try log.content()
        guard let base = try log.base() else { return nil }
        return try opened.withLock { opened in
            if let opened, opened.generation == content.generation { return opened }
            let new = try OpenBase(base, of: log, kinds: kinds, content)
            opened = new
            return new
        }
    }
}

extension Views {
    /// Returns a record folded from those of its events whose positions `isCounted` accepts; `nil` if it accepts none.
    ///
    /// Cost: about 1 us for each of these events.
    ///
    /// - Parameter declared: The declarations of wrong clocks that count among these events.
    package func record(
        _ kind: String, _ id: RecordID, declared: ClockDeclarations, foldedFrom isCounted: (Position) -> Bool
    ) throws -> Record? {
        try read { view in
            guard let positions = try view.storedState(of: kind, id)?.history.positions.filter(isCounted),
                !positions.isEmpty
            else { return nil }
            var (names, filter) = (view.names, EventFilter())
            filter.declared = declared
            let state = try history.state(of: kind, id, foldedFrom: positions, filter, names: &names)
            return state.history.count > 0
                ? Record(kind: kind, id: id, state: state, names: names, schema: try view.schema(of: kind)) : nil
        }
    }

    /// Returns the schema by which records of `kind` are read: see ``ViewReader/schema(of:)``.
    package func schema(of kind: String) throws -> KindSchema? {
        try kinds[kind] ?? read { try $0.schema(of: kind) }
    }
}
