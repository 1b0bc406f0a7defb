import Dispatch
import Foundation
import Groundwave
import Synchronization

/// Reads lines from a terminal key by key, and shows a remark below the line while it is typed.
final class LineEditor {
    /// What stands around a line.
    struct Frame {
        /// What stands before it.
        var sign: TerminalText
        /// What stands below it; `nil` for nothing.
        var remark: TerminalText?
    }

    private let keyboard = Keyboard()
    private var line = EditedLine()
    private var screen = Screen()
    private var waiting: ArraySlice<UInt8> = []

    /// Returns the next line; `nil` at the end of the input.
    ///
    /// - Parameter frame: What stands around a line, whenever it is shown.
    func next(_ frame: (String) -> Frame) -> String? {
        keyboard.begin()
        var shown = draw(frame)
        while true {
            if waiting.isEmpty {
                waiting = keyboard.read()
                if waiting.isEmpty { return finish(shown, nil) }
            }
            while let byte = waiting.popFirst() {
                switch line.take(byte) {
                case .entered(let text): return finish(shown, text)
                case .ended: return finish(shown, nil)
                case nil: break
                }
            }
            shown = draw(frame)
        }
    }

    /// Gives the terminal back as it was.
    func end() { keyboard.end() }

    /// Leaves the line as it was entered, without a remark.
    private func finish(_ frame: Frame, _ text: String?) -> String? {
        let size = Screen.Size.of(STDIN_FILENO)
        let shown = screen.draw([frame.sign + "\(text ?? "")"], on: size) + screen.leave()
        _ = Output.send(Array(shown.utf8), to: STDERR_FILENO)
        return text
    }

    private func draw(_ frame: (String) -> Frame) -> Frame {
        let around = frame(line.text)
        let (sign, remark) = (around.sign, around.remark)
        let size = Screen.Size.of(STDIN_FILENO)
        // Of a line that is too long, the part around the cursor is shown.
        let room = max(8, size.columns - 2 - sign.width)
        let start = max(0, line.cursor - room)
        let shown = line.characters[start...].prefix(room)
        let before = line.characters[start..<line.cursor]
        let text = screen.draw(
            [sign + "\(String(shown))", remark ?? ""], before: sign + "\(String(before))", on: size)
        _ = Output.send(Array(text.utf8), to: STDERR_FILENO)
        return around
    }
}

/// The keyboard of a terminal that passes on each key as it is typed, and shows none by itself.
///
/// The terminal is given back whenever the program ends or is suspended, unless it is killed.
private final class Keyboard: Sendable {
    /// How the terminal was before; `nil` as long as it is so.
    private let former = Mutex<termios?>(nil)
    private let signals = Mutex<[any DispatchSourceSignal]>([])

    /// Takes the terminal, if it is not taken yet.
    func begin() {
        let isNew = former.withLock { former in
            guard former == nil else { return false }
            var state = termios()
            guard tcgetattr(STDIN_FILENO, &state) == 0 else { return false }
            former = state
            return true
        }
        guard isNew else { return }
        takeKeys()
        signals.withLock { $0 = [SIGINT, SIGTERM, SIGHUP, SIGTSTP].map(source) }
    }

    /// Gives it back.
    func end() {
        former.withLock { former in
            if var state = former { tcsetattr(STDIN_FILENO, TCSADRAIN, &state) }
            former = nil
        }
        signals.withLock { sources in
            sources.forEach { $0.cancel() }
            sources = []
        }
    }

    /// Returns what was typed, at least one byte; nothing at the end of the input.
    func read() -> ArraySlice<UInt8> {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Foundation.read(STDIN_FILENO, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            return bytes[..<max(0, count)]
        }
    }

    private func takeKeys() {
        guard var state = former.withLock({ $0 }) else { return }
        cfmakeraw(&state)
        // Lines that are printed meanwhile end as ever, and Ctrl-C and Ctrl-Z are signals.
        state.c_oflag |= tcflag_t(OPOST)
        state.c_lflag |= tcflag_t(ISIG)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &state)
    }

    private func giveBack() {
        former.withLock { former in if var state = former { tcsetattr(STDIN_FILENO, TCSANOW, &state) } }
    }

    /// Ends or suspends the program as the signal does by itself, with the terminal as it was.
    private func source(of number: Int32) -> any DispatchSourceSignal {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { [self] in
            giveBack()
            signal(number, SIG_DFL)
            // The threads of a queue block all signals.
            var set = sigset_t()
            sigemptyset(&set)
            sigaddset(&set, number)
            pthread_sigmask(SIG_UNBLOCK, &set, nil)
            raise(number)
            // Only a suspended program goes on here.
            signal(number, SIG_IGN)
            takeKeys()
        }
        source.setCancelHandler { signal(number, SIG_DFL) }
        source.resume()
        return source
    }
}
