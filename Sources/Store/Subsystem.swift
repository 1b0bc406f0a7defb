import GroundwaveLMDB
import Logging

/// The parts of the library that log, each under its own label, such as `groundwave.store`, so that levels can be
/// chosen for each.
///
/// Only trace lines may contain data of a contact: the name of a file, which often has a call. Problems are logged as
/// notices, warnings or errors; everything else at debug and trace level, so that an intact store logs nothing by
/// default. To see these lines, bootstrap `LoggingSystem` before the first store is opened; otherwise they go where
/// swift-log sends them.
public enum Subsystem: String, CaseIterable, Sendable {
    /// Opening and closing.
    case store
    /// Commits.
    case writer
    /// Computing views from the log.
    case views
    /// Importing files.
    case `import`
    /// Synchronising with remotes and devices.
    case replication
    /// Damage, and how it was handled.
    case recovery

    /// Returns what went wrong, without the path of the file, which may contain a call.
    package static func reason(of error: any Error) -> String {
        switch error {
        case let error as LMDBError: "\(error.reason)"
        case let error as StoreError: "\(error.code)"
        default: "\(type(of: error))"
        }
    }

    package var logger: Logger { Logger(label: "groundwave.\(rawValue)") }
}
