import GroundwaveRemotes
import GroundwaveReplication
import GroundwaveStore

extension Store {
    /// Returns the error for a request that failed at a remote: `CancellationError` if the task was cancelled, whatever
    /// the transport says of it.
    static func failure(_ error: TransportError, at remote: Remote) -> any Error {
        Task.isCancelled ? CancellationError() : StoreError(error, at: remote)
    }
}

extension StoreError {
    fileprivate init(_ error: TransportError, at remote: Remote) {
        let address = remote.address
        func clause(_ reason: String) -> String { reason.hasSuffix(".") ? String(reason.dropLast()) : reason }
        switch error {
        case .unreachable(let reason):
            self.init(
                .unreachable, "\(address) cannot be reached: \(clause(reason)).",
                hint: "Nothing is lost: what was logged is kept here. Try again when the remote can be reached.",
                cause: error)
        case .full(let reason):
            self.init(
                .inputOutput, "\(address) is full: \(clause(reason)).", hint: "Free some space there, then sync again.",
                cause: error)
        case .notPermitted(let reason):
            self.init(
                .notPermitted, "\(address) does not permit this: \(clause(reason)).",
                hint: address.isMetered ? "Check the keys and their rights." : "Check its permissions.",
                cause: error)
        case .noKey(let reason):
            self.init(
                .notPermitted, "\(address) is sealed: \(clause(reason)).",
                hint: """
                    A device that belongs to the log can approve this one. Or use the passphrase: \(.acceptSeal(remote.name)).
                    """,
                cause: error)
        case .notThere(let reason):
            self.init(
                .notFound, "\(address) is not there: \(clause(reason)).",
                hint: "Check the address. To change it, remove the remote and add it again.", cause: error)
        case .tooLarge(let name, let byteCount):
            self.init(
                .damaged, "\(name) at \(address) has \(byteCount) bytes, which is more than any file of groundwave.",
                cause: error)
        case .refused(let name, let reason):
            self.init(.damaged, "\(name) at \(address) is not a file of groundwave: \(clause(reason)).", cause: error)
        }
    }
}
