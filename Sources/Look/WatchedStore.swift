import Foundation
import Groundwave
import GroundwaveLogFormat
import GroundwaveStore

/// The store that is looked at, in whatever state it is: whole, waiting for a decision after damage, or not to be read now.
///
/// It is opened once. What other programs do to its files is noticed where it matters: damage that a page meets leads to what
/// was salvaged, and a store that was restored since is opened anew. Pages that are being made keep the files that they read
/// until they are done.
actor WatchedStore {
    /// What can be looked at.
    enum State: Sendable {
        /// The store.
        case whole(Store)
        /// The store is damaged: what was salvaged of it.
        case recovering(Recovery, Store)

        /// The store that pages read.
        var store: Store {
            switch self {
            case .whole(let store), .recovering(_, let store): store
            }
        }

        /// The recovery that waits for a decision.
        var recovery: Recovery? { if case .recovering(let recovery, _) = self { recovery } else { nil } }

        fileprivate func close() {
            try? store.close()
            if let recovery, recovery.temporary !== store { try? recovery.temporary.close() }
        }
    }

    private let folder: URL
    private let configuration: Configuration
    private var state: State?
    /// How many pages read each store; one that is replaced is closed when the last of them is done.
    private var users: [ObjectIdentifier: Int] = [:]
    private var replaced: [ObjectIdentifier: State] = [:]
    private var lastLook = Arrival.now()
    private var opening: Task<State, any Error>?

    /// - Parameter configuration: How it is opened: for reading only, unless pages may write.
    init(_ folder: URL, _ configuration: Configuration) { (self.folder, self.configuration) = (folder, configuration) }

    /// Lends what can be looked at now to `body`.
    ///
    /// What `body` throws passes unchanged, unless the store was damaged, restored or replaced meanwhile: then `body` runs
    /// again with what there is now.
    ///
    /// - Throws: ``StoreError`` as `Store.open` does; the next call tries again.
    func using<Result: Sendable>(_ body: @Sendable (State) async throws -> Result) async throws -> Result {
        var attempts = 0
        while true {
            let state = try await current()
            let id = ObjectIdentifier(state.store)
            users[id, default: 0] += 1
            do {
                let result = try await body(state)
                release(id)
                return result
            } catch {
                release(id)
                attempts += 1
                guard let code = (error as? StoreError)?.code, Self.ofMissingFiles.contains(code),
                    attempts < Self.patience
                else { throw error }
                if isOutdated(state) {
                    replace(state)
                } else if state.recovery == nil {
                    throw error
                } else {
                    // Its files are being taken away, and those of the restored store are not in their place yet.
                    await state.store.commits.pause(milliseconds: 100)
                }
            }
        }
    }

    /// What a page meets whose files were damaged or taken away.
    private static let ofMissingFiles: Set<StoreError.Code> = [.damaged, .recovering, .notFound, .inputOutput]
    /// How often a page is begun anew.
    private static let patience = 30

    /// Closes the store.
    func close() {
        state?.close()
        for state in replaced.values { state.close() }
        (state, replaced) = (nil, [:])
    }

    private func current() async throws -> State {
        if let state, state.recovery != nil, isTimeToLook(), isOutdated(state) { replace(state) }
        if let state { return state }
        // One call opens it for all that wait.
        let opening = opening ?? Task { try await open() }
        self.opening = opening
        defer { self.opening = nil }
        let opened = try await opening.value
        state = opened
        return opened
    }

    private func open() async throws -> State {
        switch try await Store.open(at: folder, configuration) {
        case .ready(let store): return .whole(store)
        case .recovering(let recovery):
            return .recovering(recovery, try recovery.salvaged(configuration) ?? recovery.temporary)
        }
    }

    /// Whether there is something else to look at than `state`: the store of it was damaged, or is whole again.
    private func isOutdated(_ state: State) -> Bool {
        let status = try? Store.recoveryStatus(at: folder, stateFolder: configuration.stateFolder)
        let isDamaged = status?.state.isDamaged ?? true
        return isDamaged == (state.recovery == nil)
    }

    /// Whether a second has gone since a store that waits for a decision was last looked at.
    private func isTimeToLook() -> Bool {
        let now = Arrival.now()
        guard now.monotonicMilliseconds - lastLook.monotonicMilliseconds >= 1000 else { return false }
        lastLook = now
        return true
    }

    private func replace(_ old: State) {
        guard let state, state.store === old.store else { return }
        self.state = nil
        let id = ObjectIdentifier(old.store)
        if users[id] == nil { old.close() } else { replaced[id] = old }
    }

    private func release(_ id: ObjectIdentifier) {
        users[id, default: 1] -= 1
        guard users[id] == 0 else { return }
        users[id] = nil
        replaced.removeValue(forKey: id)?.close()
    }
}
