import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveRecords
import Synchronization

/// Folds single records anew from their events: what one record was at some point, or would be without some events.
///
/// Where the values of old events were moved to an archive, a record begins with what the log's base says of it; what
/// would need more than that is refused with ``EventLog/EventLogError/archived(_:)``, and never answered wrongly.
public final class RecordHistory: Sendable {
    /// The log whose events these are.
    public let log: EventLog
    private let kinds: Kinds
    private let opened = Mutex<OpenBase?>(nil)

    init(of log: EventLog, kinds: Kinds) {
        self.log = log
        self.kinds = kinds
    }

    /// The records of a base, in a file that goes away with it.
    private final class OpenBase: Sendable {
        /// Nothing comes late into archived history: it ends with the generation alone.
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

    /// The state that the events at `positions`, all of one record, fold to under `filter`.
    ///
    /// Cost: a look-up and a fold for each, about 1 us; of the first record of a log with archived history, also the
    /// loading of the base.
    ///
    /// - Parameter unread: Told of an event that cannot be folded, which leaves the state as it was; or throws.
    func state(
        of kind: String, _ record: RecordID, foldedFrom positions: [Position], _ filter: EventFilter,
        names: inout Names, unread: (Position, ChangeError) throws -> Void = { throw $1 }
    ) throws -> RecordState {
        let base = try openBase()
        var state = RecordState()
        if let base {
            try base.environment.read { transaction in
                try ViewReader.lend(transaction, kinds: kinds) { view in
                    guard view.names.isPrefix(of: names) else { throw ViewError.stale }
                    if let known = try view.storedState(of: kind, record) { state = known }
                }
            }
        }
        try log.withEvents(at: positions) { position, frame, bytes in
            if let base, base.vector.contains(frame.id) {
                guard filter.includes(frame.id), filter.clockShifts[frame.id.replica] == nil else {
                    throw EventLogError.archived(frame.id)
                }
                return
            }
            guard filter.includes(frame.id) else { return }
            do throws(ChangeError) {
                try state.fold(
                    frame, in: bytes, stamp: filter.stamp(of: frame.id, frame.stamp), position: position, names: &names)
            } catch { try unread(position, error) }
        }
        return state
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
