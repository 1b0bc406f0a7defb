import EventLog
import Events
import Foundation

extension Store {
    /// Makes a store in a folder that holds none, as a new replica of the log that lies at `address`, and fetches what is
    /// there.
    ///
    /// Where it is interrupted or fails, ``open(at:_:)`` says so, and the next call with the same address resumes it.
    ///
    /// - Returns: The store, and what came.
    /// - Throws: ``StoreError`` with code `exists` where there is a store already, or one that was being joined from another
    ///   address; `notFound` where no log lies there; `busy` where another process is joining it; `unreachable`; `usage`
    ///   where the device cannot be called so.
    public static func join(
        _ address: RemoteAddress, at url: URL, _ configuration: Configuration = Configuration()
    ) async throws -> (store: Store, summary: SyncSummary) {
        let files = StoreFiles(url)
        _ = try DeviceName.checked(configuration.deviceName)
        try Joining.check(address, files)
        guard let found = try await log(at: address) else {
            throw StoreError(
                .notFound, "There is no log at \(address).",
                hint: "On a device that has the log, run groundwave remote add NAME \(address), then groundwave sync.")
        }
        let joining = try Joining(address, files)
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
            // Where what has come is damaged, the error says what can be done about that.
            let state = try? recoveryStatus(at: url, stateFolder: configuration.stateFolder).state
            if let state, state.isDamaged { throw error }
            throw StoreError(
                error.code, error.message, hint: "What has arrived is kept. To resume: groundwave join \(address)",
                cause: error)
        }
    }
}
