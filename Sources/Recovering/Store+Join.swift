import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveStore
import GroundwaveSyncing

extension Store {
    /// Creates a store in a folder that holds none, as a new replica of the log at `address`, and fetches what is
    /// there.
    ///
    /// If this is interrupted or fails, ``open(at:_:)`` throws `joining`, and the next call with the same address
    /// resumes it.
    ///
    /// - Returns: The store, and the result of the fetch.
    /// - Throws: ``StoreError`` with code `exists` if there is a store already, or one that is being joined from
    ///   another address; `notFound` if there is no log at the address; `busy` if another process is joining it;
    ///   `unreachable`; `usage` if the name of the device is invalid.
    public static func join(
        _ address: RemoteAddress, at url: URL, _ configuration: Configuration = Configuration()
    ) async throws -> (store: Store, summary: SyncSummary) {
        let files = StoreFiles(url)
        _ = try DeviceName.checked(configuration.deviceName)
        try Joining.check(address.description, files)
        guard let found = try await Self.log(at: address, configuration.components) else {
            throw StoreError(
                .notFound, "There is no log at \(address).",
                hint: "On a device that has the log: \(.addRemote(address: "\(address)")), then \(.synchronise)")
        }
        let joining = try Joining(address.description, files)
        do {
            let isBegun = try files.exists && !files.isUnfinished()
            let store =
                isBegun
                ? try await open(at: url, configuration, isJoining: true).whole
                : try await create(at: url, log: found, configuration)
            do {
                let name = address.suggestedName
                try await store.add(remote: name, at: address)
                let summary = try await store.sync(try store.remote(name))
                try joining.finish()
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
                error.code, error.message, hint: "What has arrived is kept. To resume: \(.join(address: "\(address)"))",
                cause: error)
        }
    }
}
