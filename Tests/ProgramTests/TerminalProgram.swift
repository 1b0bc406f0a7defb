import Foundation
import Synchronization
import Testing

/// The program on a pseudo-terminal, which shows what it writes on standard output and standard error.
final class TerminalProgram: Sendable {
    private let process: Process
    private let descriptor: Int32
    private let state: Mutex<VirtualTerminal>
    private let isRead = DispatchSemaphore(value: 0)

    /// What is shown at this moment.
    var terminal: VirtualTerminal { state.withLock { $0 } }

    /// Starts `program` with these arguments on a terminal of this kind and size.
    init(
        _ program: Program, _ arguments: [String], columns: Int, rows: Int = 24, isReflowing: Bool = false,
        kind: String = "xterm"
    ) throws {
        state = Mutex(VirtualTerminal(columns: columns, rows: rows, isReflowing: isReflowing))
        var (descriptor, device) = (Int32(-1), Int32(-1))
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        try #require(openpty(&descriptor, &device, nil, nil, &size) == 0)
        self.descriptor = descriptor
        process = Process()
        process.executableURL = Program.executable
        process.arguments = arguments
        process.environment = program.environment.merging(["TERM": kind]) { $1 }
        let handle = FileHandle(fileDescriptor: device, closeOnDealloc: true)
        (process.standardInput, process.standardOutput, process.standardError) = (handle, handle, handle)
        try process.run()
        try handle.close()
        Thread { [self] in
            read()
            isRead.signal()
        }.start()
    }

    private func read() {
        var (bytes, rest) = ([UInt8](repeating: 0, count: 1 << 16), [UInt8]())
        while true {
            // An error is the end: nobody has the other side any more.
            let count = Foundation.read(descriptor, &bytes, bytes.count)
            guard count > 0 else { return }
            rest += bytes[..<count]
            // A character may be cut.
            let ends = max(0, rest.count - 3)...rest.count
            guard let end = ends.last(where: { String(validating: rest[..<$0], as: UTF8.self) != nil }) else {
                continue
            }
            state.withLock { $0.take(String(decoding: rest[..<end], as: UTF8.self)) }
            rest.removeFirst(end)
        }
    }

    /// Gives the terminal another size.
    func resize(columns: Int, rows: Int) {
        state.withLock { $0.resize(columns: columns, rows: rows) }
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(descriptor, UInt(TIOCSWINSZ), &size)
    }

    /// Waits until the screen shows `text`.
    func shows(_ text: String, seconds: Double = 60) -> Bool {
        let end = Date.now + seconds
        while !terminal.text.contains(text) {
            if Date.now > end { return false }
            usleep(20_000)
        }
        return true
    }

    /// Types on the terminal's keyboard.
    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(descriptor, bytes, bytes.count)
    }

    /// Whether the terminal shows by itself what is typed, as before a program that reads its keys, and after it.
    var echoes: Bool {
        var state = termios()
        return tcgetattr(descriptor, &state) == 0 && state.c_lflag & tcflag_t(ECHO) != 0
    }

    /// Sends a signal.
    func send(_ signal: Int32) { _ = Foundation.kill(process.processIdentifier, signal) }

    /// Waits for the end of the program, and returns its exit code and what is shown then.
    func outcome() throws -> (status: Int32, terminal: VirtualTerminal) {
        wait()
        let text = terminal.text
        try #require(process.terminationReason == .exit, "ended by signal \(process.terminationStatus): \(text)")
        return (process.terminationStatus, terminal)
    }

    /// Waits for the end of the program by a signal, and returns which.
    func endingSignal() throws -> Int32 {
        wait()
        try #require(process.terminationReason == .uncaughtSignal, "ended with \(process.terminationStatus)")
        return process.terminationStatus
    }

    /// Kills the program, as a dead battery would, and waits for its end.
    func kill() throws {
        send(SIGKILL)
        wait()
        try #require(process.terminationReason == .uncaughtSignal, "ended with \(process.terminationStatus)")
    }

    private func wait() {
        let isHanging = DispatchWorkItem { [id = process.processIdentifier] in _ = Foundation.kill(id, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + 120, execute: isHanging)
        process.waitUntilExit()
        isHanging.cancel()
        isRead.wait()
        close(descriptor)
    }
}
