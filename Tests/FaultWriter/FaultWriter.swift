import Everything
import Foundation
import Groundwave

/// A writer for the fault tests: saves contacts one by one, and says of each whether it was acknowledged.
///
/// `fault-writer STORE COUNT NAME`: each contact has a batch of its own, and the comment `NAME n`. Standard output gets
/// `saved n` after a write that returned and `refused n CODE` after one that threw, each before the next write begins.
/// `fault-writer STORE consume`: follows the consumer `test` until it is killed. Standard output gets `reset`, or `change EVENT`
/// for each change, before `kept POSITION` for each step that was acknowledged.
/// `fault-writer STORE count N`: adds one to the counter in the first equipment N times, each time only if nobody has changed it
/// meanwhile, and writes the friends 1 to N under ids of batches. Standard output gets `again` for each refused addition, and
/// `counted`.
/// `fault-writer STORE hold`: takes the writer's turn and keeps it until standard input ends.
@main
struct FaultWriter {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else { exit(64) }
        let store: Store
        do {
            store = try await Store.open(at: URL(filePath: arguments[1]), .full()).whole
        } catch let error as StoreError {
            say("refused 0 \(error.code.exitCode)")
            exit(error.code.exitCode)
        }
        if arguments[2] == "hold" {
            try await hold(store)
        } else if arguments[2] == "consume" {
            try await consume(store)
        } else if arguments[2] == "count", arguments.count >= 4, let count = Int(arguments[3]) {
            try await self.count(count, in: store)
        } else if arguments.count >= 4, let count = Int(arguments[2]) {
            for number in 1...count { await save(number, as: arguments[3], in: store) }
        } else {
            exit(64)
        }
        try? store.close()
    }

    private static func save(_ number: Int, as name: String, in store: Store) async {
        do {
            try await store.write { batch in
                var contact = Contact("N\(number % 10)FLT", start: 1_700_000_000 + Int64(number), mode: .cw)
                contact.comment = "\(name) \(number)"
                _ = try batch.add(contact)
            }
            say("saved \(number)")
        } catch {
            say("refused \(number) \((error as? StoreError)?.code.exitCode ?? -1)")
        }
    }

    private static func consume(_ store: Store) async throws {
        let consumer = try store.consumer("test", matching: .kind("qso"))
        var count = 0
        for try await step in consumer.steps() {
            switch step {
            case .reset: say("reset")
            case .changes(let set): for change in set.changes { say("change \(change.event)") }
            }
            count += 1
            // Some steps are left to be acknowledged with a later one.
            if count % 3 == 1 {
                try await consumer.acknowledge(step)
                say("kept \(step.token.position)")
            }
        }
    }

    private static func count(_ count: Int, in store: Store) async throws {
        let schema = store.kinds["equipment"]!
        guard
            let id = try store.read({ view in
                var first: RecordID?
                try view.forEachRecord(of: "equipment") { record in
                    first = record.id
                    return false
                }
                return first
            })
        else { exit(65) }
        for number in 1...count {
            var isCounted = false
            while !isCounted {
                guard let seen = try store.record("equipment", id) else { exit(65) }
                let value = Int(String(decoding: schema.value(of: "POWER", in: seen) ?? [], as: UTF8.self)) ?? 0
                do {
                    try await store.write(expecting: .unchanged([seen])) {
                        try $0.set("equipment", id, [Assignment("POWER", text: "\(value + 1)")])
                    }
                    isCounted = true
                } catch let error as StoreError where error.code == .conflict { say("again") }
            }
            try await store.write(id: "friend \(number)") {
                _ = try $0.add("friend", [Assignment("CALL", text: "N0CALL/\(number)")])
            }
        }
        say("counted")
    }

    private static func hold(_ store: Store) async throws {
        try await store.write { batch in
            _ = try batch.add(Contact("N0HLD", start: 1_700_000_000))
            say("holding")
            _ = try? FileHandle.standardInput.readToEnd()
        }
        say("saved 1")
    }

    /// One line, written at once: what was said before a kill was said.
    private static func say(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
    }
}
