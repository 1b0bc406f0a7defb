import Foundation
import Groundwave
import GroundwaveADIF
import GroundwaveRadio

/// The lines that a person types or a pipe has.
///
/// On a terminal a line can be edited, former lines come back, and a remark is shown below it while it is typed; on one that
/// cannot replace lines, and for `--json`, the terminal's own line is read.
final class TypedLines {
    /// The most bytes of a line of a pipe.
    private static let limit = 1 << 16

    private let editor = Terminal.canAsk && Terminal.canReplaceLines(on: STDERR_FILENO) ? LineEditor() : nil
    private var buffer = LineBuffer()
    private var hasEnded = false

    /// Returns the next line; inside, `nil` for one that is too long; outside, at the end.
    ///
    /// - Parameter frame: What stands around a line on a terminal, whenever it is shown.
    /// - Throws: ``StoreError`` with code `inputOutput` if the pipe cannot be read.
    func next(_ frame: (String) -> LineEditor.Frame) throws -> String?? {
        if let editor { return editor.next(frame).map { $0 } }
        if Terminal.canAsk { Terminal.ask(frame("").sign) }
        while true {
            if let line = buffer.next(limit: Self.limit) {
                return .some(line.isTooLong ? nil : ValueText(decoding: line.bytes).string)
            }
            if hasEnded {
                if Terminal.canAsk { Terminal.ask("\n") }
                return nil
            }
            try read()
        }
    }

    /// Gives the terminal back as it was.
    func end() { editor?.end() }

    private func read() throws {
        // A terminal and a pipe have a line as soon as it is entered.
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Foundation.read(STDIN_FILENO, &bytes, bytes.count)
            if count > 0 { return buffer.append(Array(bytes[..<count])) }
            if count < 0, errno == EINTR { continue }
            if count < 0 {
                throw StoreError(.inputOutput, "Standard input cannot be read: \(String(cString: strerror(errno))).")
            }
            buffer.finish()
            hasEnded = true
            return
        }
    }
}
