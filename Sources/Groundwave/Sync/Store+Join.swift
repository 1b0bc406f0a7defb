import EventLog
import Events
import Foundation

extension Store {
    /// Makes a store in a folder that holds none, as a new replica of the log that lies at `address`, and takes what is
    /// there.
    ///
    /// - Returns: The store, and what came.
    /// - Throws: ``StoreError`` with code `exists` where there is a store already; `notFound` where no log lies there;
    ///   `unreachable`. Where the place can no longer be reached once the store is made, the store stays, and the next
    ///   ``sync(_:isPulling:isPushing:isFull:)`` goes on.
    public static func join(
        _ address: RemoteAddress, at url: URL, _ configuration: Configuration = Configuration()
    ) async throws -> (store: Store, summary: SyncSummary) {
        let found = try await log(at: address)
        guard let found else {
            throw StoreError(
                .notFound, "No log lies at \(address).",
                hint: "On a device that has the log: groundwave remote add NAME \(address), then groundwave sync.")
        }
        let store = try await create(at: url, log: found, configuration)
        let name = address.suggestedName
        try await store.add(remote: name, at: address)
        return (store, try await store.sync(try store.remote(name)))
    }
}
