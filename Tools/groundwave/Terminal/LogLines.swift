import Foundation
import Groundwave
import Logging
import Synchronization

/// The library's log messages as lines on standard error: `views: rebuilt (events=12, reason=…)`.
///
/// Warnings and worse are told always but with `-q`; `-v` and `-vv` tell more, and `GROUNDWAVE_LOG` says it for one
/// subsystem: `GROUNDWAVE_LOG=views=debug,import=trace`, or `debug` for all.
enum LogLines {
    private static let hasStarted = Mutex(false)

    /// Sets the log levels from `options` and the environment; only the first call has an effect.
    static func start(_ options: OutputOptions) {
        let isFirst = hasStarted.withLock { started in
            defer { started = true }
            return !started
        }
        guard isFirst else { return }
        let general: Logger.Level = options.quiet ? .error : [.warning, .debug, .trace][min(options.verbose, 2)]
        let levels = Levels(ProcessInfo.processInfo.environment["GROUNDWAVE_LOG"] ?? "", general: general)
        for word in levels.unknown {
            Terminal.remark(
                "GROUNDWAVE_LOG: “\(word)” is not understood. Use a level or SUBSYSTEM=LEVEL: replication=debug.")
        }
        LoggingSystem.bootstrap { label in
            let subsystem = String(label.split(separator: ".").last ?? "")
            return LineHandler(subsystem: subsystem, logLevel: levels[subsystem])
        }
    }

    /// The log level of each subsystem.
    struct Levels {
        private var general: Logger.Level
        private var special: [String: Logger.Level] = [:]
        /// What was not understood.
        private(set) var unknown: [String] = []

        /// `text` is a list of `LEVEL` and `SUBSYSTEM=LEVEL`, separated by commas.
        init(_ text: String, general: Logger.Level) {
            self.general = general
            for word in text.split(separator: ",") {
                let parts = word.split(separator: "=", maxSplits: 1)
                if parts.count == 1, let level = Logger.Level(rawValue: word.lowercased()) {
                    self.general = level
                } else if parts.count == 2, let level = Logger.Level(rawValue: parts[1].lowercased()),
                    Subsystem(rawValue: String(parts[0])) != nil
                {
                    special[String(parts[0])] = level
                } else {
                    unknown.append(String(word))
                }
            }
        }

        subscript(subsystem: String) -> Logger.Level { special[subsystem] ?? general }
    }
}

/// Writes each line at once, in one piece, without anything that a terminal would act on.
private struct LineHandler: LogHandler {
    let subsystem: String
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        let words =
            all.isEmpty ? "" : " (" + all.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: ", ") + ")"
        Terminal.remark("\(subsystem): \(event.message)\(words)")
    }
}
