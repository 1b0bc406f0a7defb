// The second process of the tests: LMDBSecondProcess VERB PATH [NUMBER...].
//
// It says "ready" on standard output when it is where the test wants it, and ends with 0 if all went well.

import GroundwaveLMDB

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

@main
enum SecondProcess {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else { exit(64) }
        let path = arguments[2]
        let numbers = arguments.dropFirst(3).compactMap { UInt64($0) }
        switch arguments[1] {
        case "create":
            // Killed by the alarm after that many microseconds, wherever the creation is.
            endProcess(afterMicroseconds: Int(numbers[0]))
            try Environment.create(at: path) { transaction in
                try put(0..<100, byteCount: 200, table: "entries", in: transaction)
            }
        case "write":
            let environment = try Environment.open(path)
            try environment.write { try put(numbers[0]..<numbers[1], byteCount: 200, table: "entries", in: $0) }
        case "write-now":
            // Ends with 75 where somebody else writes.
            let options = Environment.Options(patience: .init(limitMilliseconds: 0))
            let environment = try Environment.open(path, options: options)
            do {
                try environment.write { try put(numbers[0]..<numbers[1], byteCount: 200, table: "entries", in: $0) }
            } catch let error as LMDBError {
                if case .locked = error.reason { exit(75) }
                throw error
            }
        case "write-many":
            // One transaction an entry.
            let environment = try Environment.open(path)
            for number in numbers[0]..<numbers[1] {
                try environment.write { try put(number..<number + 1, byteCount: 200, table: "entries", in: $0) }
            }
        case "read-many":
            // Ends with 65 where a read finds fewer entries than the one before: nobody takes any away.
            let environment = try Environment.open(path)
            var most = 0
            sayReady()
            let parent = getppid()
            while getppid() == parent {
                let count = try countOfEntries(in: environment)
                if count < most { exit(65) }
                most = count
            }
        case "grow":
            let environment = try Environment.open(path, options: .init(initialMapSizeBytes: 1 << 20))
            for number in numbers[0]..<numbers[1] {
                try environment.write { try put(number..<number + 1, byteCount: 100_000, table: "entries", in: $0) }
            }
        case "new-table":
            let environment = try Environment.open(path)
            try environment.write { try put(0..<10, byteCount: 10, table: "made elsewhere", in: $0) }
        case "hold-write":
            let environment = try Environment.open(path)
            try environment.write { transaction in
                try put(1_000_000..<1_001_000, byteCount: 200, table: "entries", in: transaction)
                waitToBeKilled()
            }
        case "hold-read":
            let environment = try Environment.open(path)
            try environment.read { transaction in
                guard let table = try transaction.table("entries", of: UInt64.self),
                    try transaction.count(of: table) > 0
                else { exit(65) }
                waitToBeKilled()
            }
        case "open-unprivileged":
            // A privileged user may open everything, so become an ordinary one.
            if geteuid() == 0, setgid(65534) != 0 || setuid(65534) != 0 { exit(67) }
            do {
                let environment = try Environment.open(path, options: .init(isReadOnly: numbers.first == 1))
                print(try environment.info().lastTransaction > 0 ? "opened" : "empty")
            } catch {
                print(error.reason)
            }
        case "count":
            print(try countOfEntries(in: try Environment.open(path)))
        default:
            exit(64)
        }
    }

    private static func put(
        _ keys: Range<UInt64>, byteCount: Int, table name: String, in transaction: borrowing WriteTransaction
    ) throws {
        let table = try transaction.openOrCreate(name, of: UInt64.self)
        for key in keys {
            let value = [UInt8](repeating: UInt8(truncatingIfNeeded: key), count: byteCount)
            try transaction.put(value.span.bytes, for: key, in: table)
        }
    }

    private static func countOfEntries(in environment: Environment) throws -> Int {
        try environment.read { transaction in
            guard let table = try transaction.table("entries", of: UInt64.self) else { return 0 }
            return try transaction.count(of: table)
        }
    }

    private static func sayReady() {
        print("ready")
        fflush(nil)
    }

    private static func waitToBeKilled() {
        sayReady()
        // The parent's end of standard input closes if the test itself dies.
        while let line = readLine() { _ = line }
        exit(66)
    }

    private static func endProcess(afterMicroseconds microseconds: Int) {
        // The parent may have blocked or ignored the signal for its children.
        var alarm = sigset_t()
        sigemptyset(&alarm)
        sigaddset(&alarm, SIGALRM)
        sigprocmask(SIG_UNBLOCK, &alarm, nil)
        signal(SIGALRM, SIG_DFL)
        // Nobody handles SIGALRM, so the kernel ends the process on the spot, as SIGKILL would.
        _ = ualarm(.init(microseconds), 0)
    }
}
