import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveRemotes
import GroundwaveReplication
import GroundwaveStore
import Synchronization

/// The sync state of a store, for a badge.
public enum SyncState: Hashable, Sendable {
    /// All devices have the same events; the digest of the log identifies these.
    case complete(Hash256)
    /// This number of events is not everywhere yet.
    case behind(UInt64)
    /// The remotes cannot be reached; this number of events waits here until they can.
    case offline(unsent: UInt64)
    /// The user has to do something, described in a sentence.
    case needs(String)
}

/// Keeps a store synchronised until it is stopped: after each write here or elsewhere, when a remote reports changes,
/// and at least every half minute. With the engine ``SyncEngine/journal``, writes are pushed in batches. A bucket of an
/// object store, where each request is paid, is looked at every two seconds while something happens, and less and less often
/// while nothing does. While the store is suspended, it waits.
public final class Syncing: Sendable {
    /// An event of synchronising.
    public enum Event: Sendable {
        /// A sync pass succeeded.
        case synced(SyncSummary)
        /// A sync pass failed; it is tried again.
        case failed(Remote, StoreError)
    }

    private let store: Store
    private let remotes: [(remote: Remote, access: RemoteAccess)]
    private let tasks: [Task<Void, Never>]
    /// The events, in order. The newest hundred are buffered for the reader; ends with ``stop()``.
    public let events: AsyncStream<Event>
    /// The sync state after each event. Only the newest is buffered for the reader; ends with ``stop()``.
    public let status: AsyncStream<SyncState>

    init(_ store: Store, _ remotes: [(remote: Remote, access: RemoteAccess)]) {
        self.store = store
        self.remotes = remotes
        let (events, eventSink) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(100))
        let (status, statusSink) = AsyncStream.makeStream(of: SyncState.self, bufferingPolicy: .bufferingNewest(1))
        self.events = events
        self.status = status
        tasks = remotes.map { remote, access in
            Task {
                await Self.follow(remote, through: access, in: store) { event in
                    eventSink.yield(event)
                    guard store.usage.followNow() else { return }
                    defer { store.usage.end() }
                    if let state = try? store.syncState(failure: Self.failure(of: event)) { statusSink.yield(state) }
                }
            }
        }
        let tasks = tasks
        Task {
            for task in tasks { await task.value }
            eventSink.finish()
            statusSink.finish()
        }
    }

    /// Stops, after the current step.
    public func stop() { for task in tasks { task.cancel() } }

    deinit { stop() }

    /// Synchronises once with every remote, and returns the sync state then, or when `deadline` has passed: for a
    /// background task. Being offline is a state, not an error.
    ///
    /// - Throws: As ``Store/syncStatus()``. What hinders a sync pass is part of the state. `CancellationError` if the
    ///   task is cancelled.
    public func once(deadline: Duration) async throws -> SyncState {
        let (store, remotes) = (store, remotes)
        return try await withThrowingTaskGroup(of: StoreError?.self) { group in
            group.addTask {
                var failure: StoreError?
                for (remote, access) in remotes {
                    do {
                        _ = try await store.sync(remote, through: try store.sealing(access, remote.name))
                    } catch let error as StoreError {
                        failure = error
                    }
                }
                return failure
            }
            group.addTask {
                try await Task.sleep(for: deadline)
                return nil
            }
            let failure = try await group.next() ?? nil
            group.cancelAll()
            return try store.syncState(failure: failure)
        }
    }

    private static func failure(of event: Event) -> StoreError? {
        if case .failed(_, let error) = event { error } else { nil }
    }

    private static func follow(
        _ remote: Remote, through access: RemoteAccess, in store: Store, _ report: @Sendable @escaping (Event) -> Void
    ) async {
        let hints: AsyncStream<Void>?
        switch access {
        case .storage(let transport): hints = transport.watch()
        case .device(let host, let port): return await stay(with: remote, at: host, port, in: store, report)
        }
        let signal = Wake()
        let pushPace = PushPace(store, remote: remote.name)
        let listening = hints.map { hints in Task { for await _ in hints { signal.wake() } } }
        let writing = Task {
            var seen = store.commits.generation
            while !Task.isCancelled {
                await store.commits.wait(beyond: seen)
                seen = store.commits.generation
                if pushPace.noteChange() { signal.wake() }
            }
        }
        defer {
            listening?.cancel()
            writing.cancel()
        }
        var pace = PollingPace(isMetered: remote.address.isMetered, milliseconds: store.monotonicMilliseconds)
        // What waits since an earlier process is pushed at once.
        var isFirst = true
        while !Task.isCancelled {
            let seen = signal.generation
            var hasFailed = false
            let isPushing = isFirst || pushPace.isPushDue
            isFirst = false
            do {
                // Each time, since the log may have been sealed meanwhile, or what lies at the remote.
                let summary = try await store.sync(
                    remote, through: try store.sealing(access, remote.name), isPushing: isPushing, isFollowing: true)
                if summary.hasTraffic { pace.noteActivity(milliseconds: store.monotonicMilliseconds) }
                report(.synced(summary))
            } catch let error as StoreError {
                report(.failed(remote, error))
                hasFailed = true
            } catch { return }
            let pause = pace.pause(milliseconds: store.monotonicMilliseconds, hasFailed: hasFailed)
            await signal.wait(beyond: seen, for: pushPace.pause(pause, hasPushed: isPushing))
        }
    }
}

extension Syncing {
    /// The pause before a lost connection is tried again: the first, and the longest.
    static let pauses = (first: Duration.seconds(1), last: Duration.seconds(60))

    /// Keeps a connection with a device open; if it is lost, tries again after a pause that grows.
    private static func stay(
        with remote: Remote, at host: String, _ port: Int, in store: Store,
        _ report: @Sendable @escaping (Event) -> Void
    ) async {
        var pause = pauses.first
        let dialer: any PeerDialer
        do { dialer = try store.components.dialer(for: remote.address) } catch {
            if let error = error as? StoreError { report(.failed(remote, error)) }
            return
        }
        while !Task.isCancelled {
            let hasTalked = Atomic(false)
            guard await store.usage.follow() else { return }
            store.usage.end()
            do {
                try await dialer.stay(connectedTo: remote, at: host, port, store) { summary in
                    if summary.quarantined.isEmpty { hasTalked.store(true, ordering: .relaxed) }
                    report(.synced(summary))
                }
            } catch {
                guard let error = error as? StoreError else { return }
                report(.failed(remote, error))
            }
            if hasTalked.load(ordering: .relaxed) { pause = pauses.first }
            try? await Task.sleep(for: pause)
            pause = min(pause * 2, pauses.last)
        }
    }
}

extension Store {
    /// Starts to keep the store synchronised with `remotes`, or with all if none are given, except those of applications.
    ///
    /// - Throws: ``StoreError`` with code `notFound` if there is none; `notPermitted` if the store is read-only; `usage`
    ///   if only an application can open one of them.
    public func startSyncing(with remotes: [Remote]? = nil) throws -> Syncing {
        try requireWritable()
        let remotes = try (remotes ?? self.remotes().filter { !$0.address.isOfApplication }).map {
            (remote: $0, access: try $0.address.access(in: accessContext))
        }
        guard !remotes.isEmpty else {
            throw StoreError(
                .notFound, "There is no remote to synchronise with.",
                hint: "To add one: \(.addRemote(address: nil))")
        }
        return Syncing(self, remotes)
    }

    /// Starts to keep the store synchronised with `address`, and adds it as a remote.
    ///
    /// - Throws: As ``add(remote:at:)``; then nothing was started.
    public func startSyncing(with address: RemoteAddress) async throws -> Syncing {
        if let known = try remotes().first(where: { $0.address == address }) { return try startSyncing(with: [known]) }
        try await add(remote: address.suggestedName, at: address)
        return try startSyncing(with: [try remote(address.suggestedName)])
    }

    /// Starts to keep the store synchronised through a transport of the application's own: after each write, when the
    /// transport reports a change, and at least every half minute.
    ///
    /// - Parameters:
    ///   - transport: The transport.
    ///   - name: The name of the remote, as in ``sync(with:as:isPulling:isPushing:isFull:)``. It is added now, also if the
    ///     transport cannot be reached.
    /// - Throws: ``StoreError`` with code `exists` if the name is that of a folder or device; `usage` if it is invalid;
    ///   `notPermitted` if the store is read-only.
    public func startSyncing(with transport: any Transport, as name: String) throws -> Syncing {
        let remote = try applicationRemote(name)
        try note(remote)
        return Syncing(self, [(remote: remote, access: .storage(transport))])
    }

    /// Returns the sync state of the store, by the last manifest of each device.
    ///
    /// - Parameter failure: The error of the last sync pass; `nil` if it succeeded.
    /// - Throws: As ``syncStatus()``.
    /// - Complexity: As ``syncStatus()``.
    public func syncState(failure: StoreError? = nil) throws -> SyncState {
        let status = try syncStatus()
        if status.isOff { return .needs("Synchronising is switched off on this device.") }
        let unsent = status.remotes.map { $0.unsent.reduce(0) { $0 + $1.count } }.max() ?? 0
        if let failure {
            return failure.code == .unreachable ? .offline(unsent: unsent) : .needs(failure.message)
        }
        if status.isComplete { return .complete(try logDigest()) }
        let behind = status.remotes.map { remoteStatus in
            let here = EventSet(remoteStatus.unsent).union(status.here.events)
            return remoteStatus.living.map { device in
                here.union(EventSet(device.missing + device.has + device.wanted)).count
            }.max() ?? here.count
        }
        let (count, overflow) = (behind.max() ?? 0).addingReportingOverflow(status.here.values)
        // A history that differs, or a store in quarantine, is no event, and is something all the same.
        return .behind(overflow ? .max : max(count, 1))
    }

    /// Returns one hash that stands for every event of the log: equal for two stores if both have the same events.
    ///
    /// SHA-256 over replica (16), number (8, little-endian) and root (32) of each replica, in order of replica.
    ///
    /// - Throws: ``StoreError`` if the tree of a replica cannot be read.
    /// - Complexity: A few hundred hashes for each replica.
    public func logDigest() throws -> Hash256 {
        try describing {
            var writer = ByteWriter()
            for entry in try log.vector().entries {
                guard let root = try log.root(of: entry.replica, through: entry.sequence) else { continue }
                writer.append(entry.replica)
                writer.append(littleEndian: entry.sequence)
                writer.append(root)
            }
            return writer.withSpan { Hash256(hashing: $0) }
        }
    }
}
