import GroundwaveLMDB
import Logging

/// The parts that say what they do, each under a label of its own, `groundwave.store` and so on: levels can be chosen
/// for each.
///
/// Only trace lines may have something of a contact in them: a file's name, which often has a call. Damage is a warning,
/// a failed commit an error; all else is told at debug and trace level, so that an application hears nothing of a store
/// that is well. Who wants to
/// see lines bootstraps `LoggingSystem` before the first store is opened; otherwise they go where swift-log sends them.
public enum Subsystem: String, CaseIterable, Sendable {
    /// Opening and closing.
    case store
    /// Commits.
    case writer
    /// What is computed from the log.
    case views
    /// Files that come in.
    case `import`
    /// Damage, and what was done about it.
    case recovery

    /// What went wrong, without the path of the file: it may have a call in it.
    package static func reason(of error: any Error) -> String {
        switch error {
        case let error as LMDBError: "\(error.reason)"
        case let error as StoreError: "\(error.code)"
        default: "\(type(of: error))"
        }
    }

    package var logger: Logger { Logger(label: "groundwave.\(rawValue)") }
}
