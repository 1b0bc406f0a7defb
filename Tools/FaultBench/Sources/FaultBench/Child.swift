import Foundation
import Synchronization

/// A process of the bench: this program with other arguments.
struct Child: Sendable {
    /// How the process ended.
    struct Ended {
        /// What it wrote to standard output.
        var text = ""
        /// The signal that ended it, or 0.
        var signal: Int32 = 0
        /// Its exit code.
        var status: Int32 = 0
        /// Whether it was killed because it took too long.
        var isHung = false

        /// Whether it crashed or hung, which no fault of a disk may cause.
        var died: Bool { isHung || (signal != 0 && signal != SIGKILL) || status == 70 }

        var words: String {
            isHung ? "took too long" : signal != 0 ? "ended by signal \(signal)" : "ended with \(status)"
        }
    }

    var arguments: [String]
    /// The library that simulates a faulty disk; `nil` for the real one.
    var shim: Shim?
    /// How often the machine of the run has lost power; each time is another boot.
    var boot = 0
    /// The folder of the run; what the process writes to standard error goes to the file `errors` there.
    var folder: String
    /// An incident that the process meets after some time.
    var incident: Incident?

    struct Incident: Sendable {
        /// Seconds from the start.
        var after: Double
        /// The minimum number of bytes of output before that: a control must have something to lose, however busy the
        /// machine is.
        var leastBytes = 0
        var what: @Sendable (pid_t) -> Void
    }

    static let program = URL(filePath: CommandLine.arguments[0]).standardizedFileURL.resolvingSymlinksInPath().path
    private static let seconds = 60.0
    private static let spawning = Mutex(())

    func run() throws -> Ended {
        // A process that another thread starts meanwhile must not inherit this pipe: its end would not be seen.
        let (pid, reader) = try Self.spawning.withLock { _ in
            var ends: [Int32] = [0, 0]
            guard pipe(&ends) == 0 else { throw Failure("no pipe: \(errno)") }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            defer { close(ends[1]) }
            return (try spawn(ends[1]), ends[0])
        }
        defer { close(reader) }
        return wait(for: pid, reading: reader)
    }

    private func spawn(_ output: Int32) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "\(folder)/errors", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        var environment = ["TMPDIR": "\(folder)/tmp", "HOME": folder, "PATH": "/usr/bin:/bin"]
        environment["LD_PRELOAD"] = Shim.library
        environment["GROUNDWAVE_FAULTS_BOOT"] = "\(folder)/boot"
        try Data(String(format: "%032x\n", boot + 1).utf8).write(to: URL(filePath: "\(folder)/boot"))
        if let shim { environment.merge(shim.environment(in: folder)) { $1 } }
        if let path = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"] { environment["LD_LIBRARY_PATH"] = path }
        var pid: pid_t = 0
        let words = ([Self.program] + arguments).map { strdup($0) } + [nil]
        let settings = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in words + settings { free(text) } }
        let code = posix_spawn(&pid, Self.program, &actions, nil, words, settings)
        guard code == 0 else { throw Failure("\(Self.program) cannot be run: \(code)") }
        return pid
    }

    private func wait(for pid: pid_t, reading reader: Int32) -> Ended {
        var ended = Ended()
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let start = ContinuousClock.now
        var incident = incident
        while true {
            let elapsed = (ContinuousClock.now - start) / .seconds(1)
            if let next = incident, elapsed >= next.after, bytes.count >= next.leastBytes {
                incident = nil
                next.what(pid)
            }
            if elapsed > Self.seconds, !ended.isHung {
                ended.isHung = true
                kill(pid, SIGKILL)
            }
            // An overdue incident waits for output, not for the clock.
            let due = max(0, (incident?.after ?? elapsed + 1) - elapsed)
            let isWaitingForWords = incident != nil && due == 0
            var poller = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
            guard poll(&poller, 1, isWaitingForWords ? 1000 : Int32(min(1000, (due * 1000).rounded(.up)))) > 0 else {
                continue
            }
            let count = read(reader, &buffer, buffer.count)
            if count <= 0 { break }
            bytes += buffer[..<count]
        }
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        ended.text = String(decoding: bytes, as: UTF8.self)
        ended.signal = status & 0x7F
        ended.status = ended.signal == 0 ? status >> 8 & 0xFF : 0
        return ended
    }
}

/// The faulty disk of a process: what `shim/include/faults.h` reads from the environment.
struct Shim: Sendable {
    enum Cut: Sendable {
        case never
        case at(step: Int)
        case atEnd
    }

    /// A call that fails.
    struct Failing: Sendable {
        var kind: String
        var at: Int
        var count: Int
        var error: Int32
        /// If set, a failed flush drops what it was to write, and the power is cut after this number of steps.
        var cutAfter: Int?
    }

    var seed: UInt64
    var cut = Cut.never
    var failing: Failing?
    /// Whether all steps are written to the file `steps`.
    var tracesSteps = false

    static let library = URL(filePath: Child.program).deletingLastPathComponent().appending(path: "libfaults.so").path

    func environment(in folder: String) -> [String: String] {
        var settings = ["FOLDER": "\(folder)/disk", "ASIDE": "\(folder)/aside", "SEED": "\(seed)"]
        settings["REPORT"] = "\(folder)/report"
        switch cut {
        case .never: break
        case .at(let step): settings["CUT"] = "\(max(1, step))"
        case .atEnd: settings["CUT"] = "end"
        }
        if tracesSteps { settings["STEPS"] = "\(folder)/steps" }
        if let failing {
            settings["FAIL"] = failing.kind
            settings["AT"] = "\(failing.at)"
            settings["COUNT"] = "\(failing.count)"
            settings["ERROR"] = "\(failing.error)"
            if let after = failing.cutAfter {
                settings["FORGET"] = "1"
                settings["AFTER"] = "\(after)"
            }
        }
        var environment: [String: String] = [:]
        for (name, value) in settings { environment["GROUNDWAVE_FAULTS_\(name)"] = value }
        return environment
    }
}

/// A failure of the bench itself.
struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
