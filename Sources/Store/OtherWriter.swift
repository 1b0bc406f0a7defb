import Foundation
import GroundwaveLMDB

/// Another program that is writing to a store.
public struct OtherWriter: Hashable, Sendable {
    /// The number of its process.
    public let process: Int32
    /// Its name.
    public let program: String
    /// Since when it has been writing.
    public let since: Date
}

extension Configuration {
    /// How the log is opened.
    var logOptions: Environment.Options {
        var options = Environment.Options()
        options.patience = writerPatience
        return options
    }

    /// How long the writer lock is waited for.
    package var writerPatience: WriterLock.Patience {
        let (seconds, attoseconds) = patience.components
        return WriterLock.Patience(
            limitMilliseconds: seconds * 1_000 + attoseconds / 1_000_000_000_000_000
        ) { [isWaiting] holder in
            let since = Date(timeIntervalSince1970: Double(holder.sinceMilliseconds) / 1_000)
            isWaiting(OtherWriter(process: holder.process, program: holder.program, since: since))
        }
    }
}
