import Foundation
import Groundwave

/// A question before a large change.
enum Confirmation {
    /// Asks at a terminal, and throws ``Answer/no`` unless the answer is yes.
    ///
    /// - Throws: Where nobody can be asked, ``StoreError`` with code `usage`, which says `consequence` and names `--yes`.
    static func ask(_ question: String, orElse consequence: String) throws {
        guard Terminal.canAsk else {
            throw StoreError(.usage, consequence, hint: "Add --yes to do it.")
        }
        Terminal.ask("\(question) [y/N] ")
        guard let answer = readLine()?.lowercased(), answer == "y" || answer == "yes" else { throw Answer.no }
    }
}
