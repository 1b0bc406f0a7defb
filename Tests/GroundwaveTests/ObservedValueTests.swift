import Everything
import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveLogbook
import GroundwaveObserving
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveStore
import GroundwaveTesting
import Synchronization
import Testing

/// Counts, on any thread.
private final class Count: Sendable {
    private let count = Atomic(0)
    var value: Int { count.load(ordering: .relaxed) }
    func add() { count.add(1, ordering: .relaxed) }
}

/// An actor with a thread of its own, as the main actor of an application.
@globalActor private actor Screen {
    static let shared = Screen()
    private static let mark = DispatchSpecificKey<Bool>()
    private nonisolated let executor = Executor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Whether this runs on the actor.
    static var isHere: Bool { DispatchQueue.getSpecific(key: mark) == true }

    private final class Executor: SerialExecutor {
        private let queue = DispatchQueue(label: "screen")

        init() { queue.setSpecific(key: mark, value: true) }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }
}

@Suite struct `Observing values` {
    private static func add(_ kind: String, _ call: String, to store: Store) async throws {
        try await store.write { _ = try $0.add(kind, [Assignment("CALL", text: call)]) }
    }

    @Test func `reads no contact when a friend is written, and one when a contact is`() async throws {
        let made = try await TemporaryStore(.full())
        try await made.store.logMany(50)
        let read = Count()
        let list = ContactList(.contacts) { record in
            read.add()
            return Contact(record)
        }
        var values = ValueSequence(made.store, ObservedContacts(list)).makeAsyncIterator()
        #expect(try await values.next()?.count == 50)
        #expect(read.value == 50)
        for _ in 0..<3 { try await Self.add("friend", "W1AW", to: made.store) }
        try await Self.add("qso", "K1AA", to: made.store)
        #expect(try await values.next()?.count == 51)
        #expect(read.value == 51)
    }

    @Test func `runs a closure only after commits that touch its kinds`() async throws {
        let made = try await TemporaryStore(.full())
        let read = Count()
        var source = ObservedRead(kinds: ["friend"]) { view in
            read.add()
            return try view.shownCounts()["friend"] ?? 0
        }
        // As an observation does after each commit.
        var (told, mark) = try made.store.views.read(since: nil) { try source.read($0, touched: $1) }
        #expect(told == 0)
        for number in 0..<5 {
            try await Self.add("qso", "N0C\(number)", to: made.store)
            (told, mark) = try made.store.views.read(since: mark) { try source.read($0, touched: $1) }
            #expect(told == nil)
        }
        try await Self.add("friend", "W1AW", to: made.store)
        (told, _) = try made.store.views.read(since: mark) { try source.read($0, touched: $1) }
        #expect(told == 1 && read.value == 2)
    }

    @Test func `tells nothing when a closure reads what it read before`() async throws {
        let made = try await TemporaryStore(.full())
        let observed = made.store.values(of: ["qso"]) { try $0.count(.contacts) / 2 }
        var values = observed.makeAsyncIterator()
        #expect(try await values.next() == 0)
        try await Self.add("qso", "W1AW", to: made.store)
        try await Self.add("qso", "K1AA", to: made.store)
        #expect(try await values.next() == 1)
    }

    @Test func `passes the error of a closure unchanged, and reads again when asked again`() async throws {
        struct Refusal: Error {}
        let made = try await TemporaryStore(.full())
        let read = Count()
        let observed = made.store.values(of: ["qso"]) { view in
            read.add()
            if read.value == 2 { throw Refusal() }
            return try view.count(.contacts)
        }
        var values = observed.makeAsyncIterator()
        #expect(try await values.next() == 0)
        try await Self.add("qso", "W1AW", to: made.store)
        await #expect(throws: Refusal.self) { try await values.next() }
        try await Self.add("friend", "W1AW", to: made.store)
        #expect(try await values.next() == 1, "the commit that was not told yet")
    }

    @Test @Screen func `reads and compares off the actor of the caller`() async throws {
        let made = try await TemporaryStore(.full())
        try await made.store.logMany(3)
        let list = ContactList(.contacts) { record in
            #expect(!Screen.isHere)
            return Contact(record)
        }
        var values = ValueSequence(made.store, ObservedContacts(list)).makeAsyncIterator()
        #expect(try await values.next(isolation: Screen.shared)?.count == 3)
        try await Self.add("qso", "K1AA", to: made.store)
        #expect(try await values.next(isolation: Screen.shared)?.count == 4)
        #expect(Screen.isHere)
    }

    /// A kind that notes where it is read.
    private enum Watched: RecordKind {
        static let read = Count()
        static let schema = KindSchema(
            name: "watched",
            fields: [
                FieldSchema(1, "LABELS", .union) { label in
                    #expect(!Screen.isHere)
                    read.add()
                    return label
                }
            ])
    }

    @Test @Screen func `follows changes, and the steps of a consumer, off the actor of the caller`() async throws {
        let made = try await TemporaryStore(Configuration(kinds: [Watched.self]))
        let store = made.store
        let consumer = try store.consumer("watching", matching: .kind("watched"))
        for try await step in consumer.steps(through: try store.currentToken()) { try await consumer.acknowledge(step) }
        let start = try store.currentToken()
        let id = try await store.write { try $0.add("watched", [Assignment("LABELS", elements: ["a", "b"])]) }.value
        try await store.write { try $0.set("watched", id, [Assignment("LABELS", elements: ["b", "c"])]) }
        let end = try store.currentToken()
        let before = Watched.read.value
        var sets = 0
        for try await set in store.changes(since: start, through: end, matching: .kind("watched")) {
            sets += set.changes.count
        }
        for try await step in consumer.steps(through: end) {
            if case .changes(let set) = step { sets += set.changes.count }
        }
        #expect(sets == 4 && Watched.read.value > before)
        #expect(Screen.isHere)
    }

    /// A value with memory of its own, which notes where that is freed.
    private struct Heavy: Equatable, Sendable {
        final class Memory: Sendable {
            let freed: (anywhere: Count, byCaller: Count)
            init(_ freed: (anywhere: Count, byCaller: Count)) { self.freed = freed }
            deinit { (Screen.isHere ? freed.byCaller : freed.anywhere).add() }
        }

        let number: Int
        let memory: Memory
        static func == (left: Heavy, right: Heavy) -> Bool { left.number == right.number }
    }

    @Test @Screen func `frees the memory of a value that was replaced off the actor of the caller`() async throws {
        let made = try await TemporaryStore(.full())
        let freed = (anywhere: Count(), byCaller: Count())
        var shown: Heavy?
        let observed = made.store.values(of: ["qso"]) { view in
            Heavy(number: try view.count(.contacts), memory: Heavy.Memory(freed))
        }
        var values = observed.makeAsyncIterator()
        for number in 0..<10 {
            shown = try await values.next(isolation: Screen.shared)
            #expect(shown?.number == number)
            try await Self.add("qso", "N0C\(number)", to: made.store)
        }
        #expect(freed.anywhere.value >= 7 && freed.byCaller.value == 0)
    }

    @Test(.timeLimit(.minutes(1))) func `tells a commit that happens during a read`() async throws {
        let made = try await TemporaryStore(.full())
        let store = made.store
        let read = Count()
        let observed = store.values(of: ["qso"]) { view in
            let count = try view.count(.contacts)
            read.add()
            guard read.value == 1 else { return count }
            // The closure runs on a thread of its own, which may wait.
            let written = DispatchSemaphore(value: 0)
            Task.detached {
                try await Self.add("qso", "W1AW", to: store)
                written.signal()
            }
            written.wait()
            return count
        }
        var values = observed.makeAsyncIterator()
        #expect(try await values.next() == 0)
        #expect(try await values.next() == 1)
    }

    @Test func `tells events that had been lost and came back`() async throws {
        let fleet = try await SyncedFleet(2)
        try await fleet[0].logMany(120)
        try await fleet.settle()
        try fleet[0].close()
        _ = try Damage.loseEvents(of: fleet.stores[0].url)
        let recovery = try await fleet.stores[0].recovery()
        try await recovery.stageRestore(from: .salvage)
        try recovery.temporary.close()
        let store = try await fleet.stores[0].opening().whole
        defer { try? store.close() }
        var values = store.values(of: .contacts).makeAsyncIterator()
        let before = try #require(try await values.next())
        #expect(before.count < 120)
        _ = try await store.sync(try store.remote("place"))
        // Something of no concern comes last, so that a list that was not told is found and not waited for.
        let shown = try store.read { try $0.all(.contacts) }.map { Contact($0) }
        #expect(shown.count == 120)
        try await Self.add("qso", "N0LAST", to: store)
        var told = before
        while !told.contains(where: { $0.call == "N0LAST" }), let next = try await values.next() { told = next }
        #expect(told.filter { $0.call != "N0LAST" } == shown)
    }

    @Test func `ends with an error when the store is closed`() async throws {
        let made = try await TemporaryStore(.full())
        try made.store.close()
        var configuration = Configuration.full()
        for isReadOnly in [false, true] {
            configuration.isReadOnly = isReadOnly
            let store = try await made.reopened(configuration)
            var values = store.values(of: .contacts).makeAsyncIterator()
            #expect(try await values.next()?.isEmpty == true)
            try store.close()
            await #expect(throws: StoreError.self) { try await values.next() }
        }
    }
}

/// Every kind of question: each is answered from another index, or not from one.
private let questions: [ContactQuery] = {
    var questions = [ContactQuery.contacts, .everything, .contacts.worked("N1CALL"), .contacts.on(day: 1_767_225_600)]
    func ask(_ change: (inout ContactQuery) -> Void) {
        var query = ContactQuery.contacts
        change(&query)
        questions.append(query)
    }
    ask { $0.station = "W1AW" }
    ask { $0.callPattern = "N*" }
    ask { $0.limit = 3 }
    ask { ($0.limit, $0.band) = (2, "20m") }
    ask { $0.limit = 0 }
    ask { $0.mode = "v1" }
    ask { $0.words = ["v2"] }
    ask { $0.isHidden = true }
    ask { $0.changedAfter = 12 }
    return questions
}()

/// A question that is asked again after each step.
private struct Asked {
    let query: ContactQuery
    var source: ObservedContacts
    var mark: ViewsMark?
    var told: [Contact]?

    init(_ query: ContactQuery) {
        self.query = query
        source = ObservedContacts(ContactList(query))
    }

    /// Reads as an observation does; what is told must be what a fresh read says, and nothing if that is what it was.
    mutating func check(_ store: Store, _ step: Comment) throws {
        let fresh = try store.read { try $0.all(query) }.map { Contact($0) }
        let (value, read) = try store.views.read(since: mark) { try source.read($0, touched: $1) }
        mark = read
        if let value {
            #expect(value != told, step)
            told = value
        }
        #expect(told == fresh, step)
    }
}

@Suite struct `Observed contacts` {
    /// One more random thing than a fleet does.
    private static func act(in fleet: inout Fleet, other: Store) async throws {
        let place = Int.random(in: 0..<fleet.stores.count, using: &fleet.numbers)
        let store = fleet.stores[place]
        let ids = try store.read { try $0.all(.everything).map(\.id) }
        switch Int.random(in: 0..<24, using: &fleet.numbers) {
        case 0:
            guard let id = ids.randomElement(using: &fleet.numbers) else { return }
            try await store.erase([id])
        case 1...2:
            for step in try store.undoableSteps(1) { _ = try await store.revert(step) }
        case 3: try store.views.rebuild()
        case 4...5: _ = try await other.write { try $0.add("qso", [Assignment("CALL", text: "W1AW/P")]) }
        case 6: _ = try await store.write { try $0.add("friend", [Assignment("CALL", text: "W1AW")]) }
        case 7:
            guard ids.count > 1 else { return }
            _ = try? await store.merge([ids[1]], into: ids[0])
        case 8: store.views.close()
        default: try await fleet.step()
        }
    }

    @Test(arguments: UInt64(1)...15)
    func `are what a fresh read says after any history, and told only if they differ`(seed: UInt64) async throws {
        var fleet = try await Fleet(2, seed: seed)
        let other = try await Store.open(
            at: fleet.stores[0].url,
            Configuration.full(author: "N8CALL", surroundings: .virtual(fleet.clocks[0], seed: 9))
        ).whole
        var asked = questions.map { Asked($0) }
        for step in 0..<40 {
            try await Self.act(in: &fleet, other: other)
            // Now and then several things happen between two reads.
            if fleet.numbers.chance(0.7) {
                for place in asked.indices {
                    try asked[place].check(fleet.stores[0], "seed \(seed), step \(step), \(asked[place].query)")
                }
            }
        }
        try fleet.meet()
        for place in asked.indices { try asked[place].check(fleet.stores[0], "seed \(seed), at the end") }
        fleet.close()
    }

    @Test(.timeLimit(.minutes(1)), arguments: UInt64(1)...8)
    func `end with the last state, and no two that follow one another are equal`(seed: UInt64) async throws {
        var fleet = try await Fleet(2, seed: seed)
        let store = fleet.stores[0]
        let isLast: @Sendable ([Contact]) -> Bool = { $0.last?.call == "N9LAST" }
        let watching = questions[0...1].map { query in
            Task {
                var told: [[Contact]] = []
                for try await contacts in store.values(of: query) {
                    told.append(contacts)
                    if isLast(contacts) { break }
                }
                return told
            }
        }
        for _ in 0..<60 { try await fleet.step() }
        let last = [Assignment("CALL", text: "N9LAST"), Assignment("QSO_DATE", text: "20991231")]
        _ = try await store.write { try $0.add("qso", last) }
        for (query, task) in zip(questions, watching) {
            let told = try await task.value
            #expect(told.last == (try store.read { try $0.all(query) }).map { Contact($0) })
            for (value, next) in zip(told, told.dropFirst()) { #expect(value != next) }
        }
        fleet.close()
    }
}
