import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwavePeering
import GroundwaveProjections
import GroundwaveRemotes
import GroundwaveReplication
import GroundwaveSealedRemotes
import GroundwaveStore
import GroundwaveSyncing

extension Store {
    /// Creates a store in a folder that holds none, as a new replica of the log at `address`, and fetches what is
    /// there: the newest snapshot first, if there is one, with which ``whileJoining(at:_:)`` can read; then the history.
    ///
    /// If this is interrupted or fails, ``open(at:_:)`` throws `joining`, and the next call with the same address
    /// resumes it.
    ///
    /// - Parameters:
    ///   - address: The address of the log.
    ///   - url: The folder of the store.
    ///   - configuration: The settings with which the store is created and opened.
    ///   - unlocking: What opens the remote if it is sealed; for the address of a device, a code that it has shown. Not needed
    ///     to resume, except that code.
    ///   - report: Called as the join proceeds, on any thread.
    /// - Returns: The store, and the result of the fetch.
    /// - Throws: ``StoreError`` with code `exists` if there is a store already, or one that is being joined from
    ///   another address; `notFound` if there is no log at the address; `busy` if another process is joining it;
    ///   `unreachable`; `notPermitted` if `unlocking` is wrong, or missing; `usage` if the name of the device is invalid, or
    ///   if only an application can open the address.
    ///   `CancellationError` at once if the task is cancelled; what has arrived is kept.
    public static func join(
        _ address: RemoteAddress, at url: URL, _ configuration: Configuration = Configuration(),
        unlocking: Unlocking? = nil, progress report: @escaping @Sendable (JoinProgress) -> Void = { _ in }
    ) async throws -> (store: Store, summary: SyncSummary) {
        let remote = Remote(name: address.suggestedName, address: address)
        let access = try address.access(in: AccessContext(configuration))
        if case .device(let host, let port) = access, let unlocking {
            let dialer = try configuration.components.dialer(for: address)
            return try await join(remote, at: url, configuration, with: unlocking, hasConnected: true) {
                try await dialer.open(host, port)
            } again: { store in
                try await store.sync(remote)
            }
        }
        return try await join(remote, at: url, configuration, through: access, unlocking) { store in
            try await store.add(remote: remote.name, at: address)
            return try await store.fetchAll(from: try store.sealing(access, remote.name), report) {
                try await store.sync(remote)
            }
        }
    }

    /// Creates a store in a folder that holds none, as a new replica of the log that is reached through a transport of
    /// the application's own, and fetches what is there.
    ///
    /// If this is interrupted or fails, ``open(at:_:)`` throws `joining`, and the next call with the same name resumes
    /// it.
    ///
    /// - Parameters:
    ///   - transport: The transport.
    ///   - name: Its name among the remotes of the store, as in ``sync(with:as:isPulling:isPushing:isFull:)``.
    ///   - url: The folder of the store.
    ///   - configuration: The settings with which the store is created and opened.
    ///   - unlocking: What opens the remote if it is sealed. Not needed to resume.
    ///   - report: Called as the join proceeds, on any thread.
    /// - Returns: The store, and the result of the fetch.
    /// - Throws: ``StoreError`` with code `exists` if there is a store already, or one that is being joined from
    ///   elsewhere; `notFound` if there is no log; `busy` if another process is joining it; `unreachable`; `usage` if
    ///   one of the names is invalid. `CancellationError` at once if the task is cancelled; what has arrived is kept.
    public static func join(
        through transport: any Transport, as name: String, at url: URL,
        _ configuration: Configuration = Configuration(), unlocking: Unlocking? = nil,
        progress report: @escaping @Sendable (JoinProgress) -> Void = { _ in }
    ) async throws -> (store: Store, summary: SyncSummary) {
        let remote = try Remote(ofApplication: name)
        return try await join(remote, at: url, configuration, through: .storage(transport), unlocking) { store in
            try await store.fetchAll(from: try store.sealing(.storage(transport), name), report) {
                try await store.sync(with: transport, as: name)
            }
        }
    }

    /// Creates a store in a folder that holds none, as a new replica of the log of the store at the other end of a stream,
    /// and fetches what it has. The other side calls ``sync(over:as:)``.
    ///
    /// If this is interrupted or fails, ``open(at:_:)`` throws `joining`, and the next call with the same name resumes it
    /// over a new stream. The stream is closed when this returns or throws.
    ///
    /// - Parameters:
    ///   - stream: A new connection, which nobody else uses.
    ///   - name: The name of the remote, as in ``sync(over:as:)``.
    ///   - url: The folder of the store.
    ///   - configuration: The settings with which the store is created and opened.
    ///   - unlocking: The code that the device at the other end has shown, if the log is sealed. To resume, give it again, and
    ///     leave it out once it is refused with `unreachable`: this device was let in then.
    /// - Returns: The store, and the result of the fetch.
    /// - Throws: As ``join(through:as:at:_:unlocking:progress:)``, and as ``sync(over:as:)``.
    public static func join(
        over stream: any ByteStream, as name: String = "stream", at url: URL,
        _ configuration: Configuration = Configuration(), unlocking: Unlocking? = nil
    ) async throws -> (store: Store, summary: SyncSummary) {
        let greeted = GreetedStream(stream)
        do {
            let remote = try Remote(ofApplication: name)
            if let unlocking {
                return try await join(remote, at: url, configuration, with: unlocking, hasConnected: false) {
                    stream
                } again: { _ in
                    throw StoreError(ConnectionError.turnedAway, at: remote.address)
                }
            }
            return try await join(remote, at: url, configuration) {
                // A join that is resumed has the keys.
                if let keys = try StoreFiles(url, configuration.keychain).readLogKeys() { return keys.log }
                return try await greeted.log(from: remote)
            } fetching: { store in
                try await store.sync(over: greeted, as: name)
            }
        } catch {
            await stream.close()
            throw error
        }
    }

    /// Creates a store or resumes its creation, over a connection with the device that has shown a code.
    ///
    /// - Parameters:
    ///   - hasConnected: Whether this end connects; `false` if neither does.
    ///   - connect: Returns a new connection.
    ///   - again: Synchronises a store that has the keys already, if the code has ended meanwhile: it was let in then.
    private static func join(
        _ remote: Remote, at url: URL, _ configuration: Configuration, with unlocking: Unlocking,
        hasConnected: Bool, connecting connect: () async throws -> any ByteStream,
        again: (Store) async throws -> SyncSummary
    ) async throws -> (store: Store, summary: SyncSummary) {
        guard case .code(let text) = unlocking else {
            throw StoreError(
                .usage, "Over a connection, a device joins a sealed log with a code.",
                hint:
                    "Nothing was written. The passphrase and the recovery phrase open what lies in a folder or a bucket."
            )
        }
        let (code, files) = (try KnownCode(text), StoreFiles(url, configuration.keychain))
        var generator = configuration.surroundings.generator
        let identity = try files.identityUnlessDamaged() ?? Identity.random(using: &generator)
        var keyed: KeyedStream?
        do {
            return try await join(remote, at: url, configuration, as: identity) {
                do {
                    keyed = try await received(
                        over: try await connect(), hasConnected: hasConnected, by: code, identity)
                } catch ConnectionError.turnedAway {
                    guard let keys = try files.readLogKeys() else { throw refusal(of: remote) }
                    return keys.log
                } catch { throw describe(error, at: remote, file: files.log) }
                return keyed?.keys.log
            } fetching: { store in
                guard let keyed else { return try await again(store) }
                return try await store.enter(by: code, through: keyed, from: remote)
            }
        } catch {
            await keyed?.stream.close()
            throw error
        }
    }

    private static func refusal(of remote: Remote) -> StoreError {
        StoreError(
            .notPermitted, "The device at \(remote.address) does not take the code.",
            hint: """
                Nothing was written. A code is taken by the device that shows it, until it is used or its time is over.
                """)
    }

    /// Creates a store or resumes its creation, with what opens the remote if it is sealed.
    private static func join(
        _ remote: Remote, at url: URL, _ configuration: Configuration, through access: RemoteAccess,
        _ unlocking: Unlocking?, fetching fetch: (Store) async throws -> SyncSummary
    ) async throws -> (store: Store, summary: SyncSummary) {
        var keys: LogKeys?
        return try await join(remote, at: url, configuration) {
            // A join that is resumed has the keys.
            keys = try StoreFiles(url, configuration.keychain).readLogKeys()
            if keys == nil {
                do { keys = try await unlock(access, at: remote.address, with: unlocking) } catch {
                    throw describe(error, at: remote, file: remote.address.description)
                }
            }
            if let keys { return keys.log }
            do { return try await Self.log(of: remote, through: access, configuration.components) } catch let error
                as StoreError where [.silent(.hello), .cut].contains(error.cause as? ConnectionError)
            {
                throw StoreError(silentAt: remote.address)
            }
        } fetching: { store in
            if let keys { try store.adopt(keys) }
            let summary = try await fetch(store)
            guard let replica = store.replica else { return summary }
            let isIn =
                switch unlocking {
                case .phrase(let words): try await store.approve(replica, by: KnownPhrase(words))
                case .code(let text): try await store.enter(by: KnownCode(text))
                case .passphrase, nil: false
                }
            if !isIn { return summary }
            var again = try await fetch(store)
            again.receivedEvents += summary.receivedEvents
            again.receivedBytes += summary.receivedBytes
            return again
        }
    }

    /// Creates a store or resumes its creation.
    ///
    /// - Parameters:
    ///   - identity: The identity of a new store; `nil` for a random one.
    ///   - log: Returns the log at the remote; `nil` if there is none.
    ///   - fetch: Adds the remote to the store, and synchronises with it.
    private static func join(
        _ remote: Remote, at url: URL, _ configuration: Configuration, as identity: Identity? = nil,
        log: () async throws -> LogID?, fetching fetch: (Store) async throws -> SyncSummary
    ) async throws -> (store: Store, summary: SyncSummary) {
        let (files, address) = (StoreFiles(url, configuration.keychain), remote.address)
        _ = try DeviceName.checked(configuration.deviceName)
        try Joining.check(address.description, files)
        guard let found = try await log() else {
            throw StoreError(
                .notFound, "There is no log at \(address).",
                hint: address.isOfApplication
                    ? "Synchronise a device that has the log there first."
                    : "On a device that has the log: \(.addRemote(address: "\(address)")), then \(.synchronise)")
        }
        let joining = try Joining(address.description, files)
        do {
            let isBegun = try files.exists && !files.isUnfinished()
            let store =
                isBegun
                ? try await open(at: url, configuration, isJoining: true).whole
                : try await create(at: url, log: found, as: identity, configuration)
            do {
                let summary = try await fetch(store)
                try joining.finish()
                // Only now: a join that is resumed shows the snapshot again, and fetches it once.
                JoinedSnapshot(files).remove()
                return (store, summary)
            } catch {
                try? store.close()
                throw error
            }
        } catch let error as StoreError {
            // If the fetched data is damaged, the error already states what to do about it.
            let state = try? recoveryStatus(at: url, stateFolder: configuration.stateFolder).state
            if let state, state.isDamaged { throw error }
            throw StoreError(
                error.code, error.message,
                hint: address.isOfApplication
                    ? "What has arrived is kept. To resume: join again under the same name."
                    : "What has arrived is kept. To resume: \(.join(address: "\(address)"))",
                cause: error)
        }
    }

    /// Fetches the newest snapshot, then, with `fetch`, the history.
    private func fetchAll(
        from access: RemoteAccess, _ report: @escaping @Sendable (JoinProgress) -> Void,
        _ fetch: () async throws -> SyncSummary
    ) async throws -> SyncSummary {
        var snapshot: SnapshotInformation?
        if case .storage(let transport) = access {
            snapshot = try await fetchSnapshot(at: transport) { step in
                switch step {
                case .part(let part, let count): report(.snapshot(part: part, of: count))
                case .unusable(let created, let reason): report(.unusable(created: created, reason: reason))
                }
            }
        }
        if let snapshot { report(.readable(snapshot)) }
        let total = snapshot?.vector.eventCount
        let reporting = Task { [self] in
            var seen = commits.generation
            while !Task.isCancelled {
                if let events = try? log.vector().eventCount { report(.history(events: events, of: total)) }
                await commits.wait(beyond: seen)
                seen = commits.generation
            }
        }
        defer { reporting.cancel() }
        return try await fetch()
    }
}
