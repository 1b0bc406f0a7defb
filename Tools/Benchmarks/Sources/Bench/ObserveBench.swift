import Dispatch
import Everything
import Foundation
import Groundwave
import GroundwaveLogbook
import GroundwaveRadio
import GroundwaveRecords
import Synchronization

/// An actor that counts for how long it is busy, as the main actor of an application that shows a list.
private actor Screen {
    nonisolated let executor = TimedExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private(set) var shown: [Contact] = []

    /// Shows each value, and says when it came.
    func show(_ values: ValueSequence<[Contact]>, _ came: AsyncStream<ContinuousClock.Instant>.Continuation)
        async throws
    {
        for try await contacts in values {
            shown = contacts
            came.yield(.now)
        }
    }
}

/// Runs jobs on a queue, and adds up their times.
private final class TimedExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "screen", qos: .userInteractive)
    private let busy = Mutex(Duration.zero)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async {
            let start = ContinuousClock.now
            job.runSynchronously(on: self.asUnownedSerialExecutor())
            self.busy.withLock { $0 += ContinuousClock.now - start }
        }
    }

    var busyTime: Duration { busy.withLock { $0 } }
}

/// An observed list of contacts, of which one is edited again and again.
enum ObserveBench {
    /// Fills a new store.
    static func build(_ path: String, contacts: Int) async throws {
        let store = try await Store.create(at: URL(filePath: path), .full(author: "N0CALL"))
        for first in stride(from: 0, to: contacts, by: 2000) {
            try await store.write { batch in
                for number in first..<min(first + 2000, contacts) {
                    var contact = Contact(
                        "N\(number % 10)C\(number)", start: 1_700_000_000 + Int64(number) * 60,
                        frequency: Frequency(hertz: 14_032_500), mode: Mode(mode: "CW", submode: nil))
                    (contact.reportSent, contact.reportReceived) = ("599", "579")
                    (contact.grid, contact.name, contact.station) = ("FN31pr", "Hiram", "N0CALL")
                    contact.comment = "generated for a list that is observed"
                    _ = try batch.add(contact)
                }
            }
        }
        try store.close()
    }

    /// - Parameter asks: Whether the time that the actor is busy is asked for, and not the time until a value is new.
    static func edit(_ path: String, edits: Int, asksForActor asks: Bool) async throws {
        let store = try await Store.open(at: URL(filePath: path), .full(author: "N0CALL")).whole
        let ids = try store.read { try $0.all(.contacts).map(\.id) }
        let screen = Screen()
        let (stream, came) = AsyncStream<ContinuousClock.Instant>.makeStream()
        let task = Task { try await screen.show(store.values(of: .contacts), came) }
        var arrivals = stream.makeAsyncIterator()
        _ = await arrivals.next()
        var generator = SeededGenerator(state: 1)
        var (waits, busy): ([Duration], [Duration]) = ([], [])
        for number in 0..<edits {
            let id = ids[Int(generator.next() % UInt64(ids.count))]
            let before = screen.executor.busyTime
            // A friend is of no concern to the list.
            _ = try await store.write { try $0.add("friend", [Assignment("CALL", text: "N0CALL")]) }
            // Not what an earlier run has written.
            let name = "Edited \(number) \(UInt64.random(in: 0 ... .max))"
            try await store.write { try $0.set(\.name, of: id, to: name) }
            let committed = ContinuousClock.now
            guard let arrived = await arrivals.next() else { break }
            waits.append(max(.zero, arrived - committed))
            // The job that took the value has ended.
            _ = await screen.shown.count
            busy.append(screen.executor.busyTime - before)
        }
        task.cancel()
        let sorted = (asks ? busy : waits).sorted()
        let milliseconds = sorted[sorted.count / 2] / .milliseconds(1)
        let what = asks ? "actor busy" : "value new"
        print("engine observe \(what): \(String(format: "%.3f", milliseconds)) ms")
        try store.close()
    }

    /// Opens the store again and again, each time with the kinds of the time before, and reads a record.
    static func open(_ path: String, rounds: Int) async throws {
        var times: [Double] = []
        for _ in 0..<rounds {
            let start = ContinuousClock.now
            let store = try await Store.open(at: URL(filePath: path), .full(author: "N0CALL")).whole
            _ = try store.record("qso", RecordID(high: 1, low: 1))
            times.append((ContinuousClock.now - start) / .milliseconds(1))
            try store.close()
        }
        times.sort()
        print("engine open: \(String(format: "%.2f", times[times.count / 2])) ms")
    }

    /// Counts the contacts as an application does.
    static func count(_ path: String, rounds: Int) async throws {
        let store = try await Store.open(at: URL(filePath: path), .full(author: "N0CALL")).whole
        var times: [Double] = []
        for _ in 0..<rounds {
            times.append(try seconds { _ = try store.read { try $0.count(.contacts) } })
        }
        times.sort()
        print("engine count: \(String(format: "%.2f", times[times.count / 2] * 1000)) ms")
        try store.close()
    }
}
