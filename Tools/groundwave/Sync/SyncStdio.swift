import Foundation
import Groundwave
import GroundwaveWording

/// `sync --stdio`: synchronises over standard input and output; all messages go to standard error.
enum SyncStdio {
    struct Result: Encodable {
        var peer: String?
        var sent: UInt64
        var received: Int
        var returned: Int
    }

    static func run(_ options: StoreOptions, stays: Bool) async throws {
        // What is printed from here on goes to standard error: a word among the bytes would be garbage to the other side.
        let (input, output) = (dup(STDIN_FILENO), dup(STDOUT_FILENO))
        guard input >= 0, output >= 0, dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 else {
            throw StoreError(.usage, "Standard input, output and error must be open.")
        }
        let store = try await options.openWhole()
        let done = try await store.sync(input: input, output: output, stays: stays)
        if options.json {
            return try Terminal.print(
                json: Result(
                    peer: done.peer.map { "\($0)" }, sent: done.sentEvents, received: done.receivedEvents,
                    returned: done.returnedEvents))
        }
        Terminal.remark(
            "Sent \(NumberText.count(done.sentEvents, "event")), received "
                + "\(NumberText.received(done.receivedEvents, returned: done.returnedEvents)).")
    }
}
