import Foundation
import GroundwaveLMDB

/// Another process that is writing to a store.
public struct OtherWriter: Hashable, Sendable {
    /// The process ID.
    public let process: Int32
    /// The name of its program.
    public let program: String
    /// The time at which it began to write.
    public let since: Date
}

extension Configuration {
    /// The options for opening the log.
    package var logOptions: Environment.Options {
        var options = Environment.Options()
        options.patience = writerPatience
        return options
    }

    /// The time to wait for the writer lock, in whole milliseconds and at most 30 years, and the call while waiting.
    package var writerPatience: WriterLock.Patience {
        let (seconds, attoseconds) = min(patience, .seconds(1_000_000_000)).components
        return WriterLock.Patience(
            limitMilliseconds: seconds * 1_000 + attoseconds / 1_000_000_000_000_000
        ) { [isWaiting] holder in
            let since = Date(timeIntervalSince1970: Double(holder.sinceMilliseconds) / 1_000)
            isWaiting(OtherWriter(process: holder.process, program: holder.program, since: since))
        }
    }
}
