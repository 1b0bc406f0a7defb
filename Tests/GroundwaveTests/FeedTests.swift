import Everything
import Foundation
import Groundwave
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveTesting
import Testing

/// An application's own copy of what contacts show, made of nothing but changes.
private struct Copy: Equatable {
    var shown: [RecordID: [String: [UInt8]]] = [:]
    var hidden: [RecordID: [String: [UInt8]]] = [:]
    var erased: Set<RecordID> = []
    var conflicts: [RecordID: Set<String>] = [:]

    mutating func follow(_ change: ChangeSet.RecordChange) {
        let id = change.record
        var fields = shown[id] ?? hidden[id] ?? [:]
        let stood: ChangeSet.Standing =
            shown[id] != nil ? .shown : hidden[id] != nil ? .hidden : erased.contains(id) ? .erased : .absent
        #expect(stood == change.before, "each change begins where the one before it ended")
        for field in change.fields where !field.field.isEmpty {
            #expect(fields[field.field] == field.before)
            fields[field.field] = field.after
        }
        (shown[id], hidden[id], conflicts[id]) = (nil, nil, nil)
        switch change.after {
        case .shown: shown[id] = fields
        case .hidden: hidden[id] = fields
        case .erased: erased.insert(id)
        case .absent: break
        }
        if !change.conflicts.isEmpty, change.after != .erased { conflicts[id] = change.conflicts }
    }

    init() {}

    /// What the store shows.
    init(of store: Store) throws {
        let schema = QSOKind.schema
        try store.read { view in
            try view.forEachRecord(of: "qso") { record in
                let values = schema.values(of: record)
                let fields = Dictionary(values.map { ($0.name, $0.value) }) { $1 }
                if record.isErased {
                    erased.insert(record.id)
                } else if record.isVisible {
                    shown[record.id] = fields
                } else {
                    hidden[record.id] = fields
                }
                let open = Set(record.fields.filter(\.isConflict).map { schema.name(of: $0.key) })
                if !open.isEmpty { conflicts[record.id] = open }
                return true
            }
        }
    }
}

@Suite struct `A feed of changes` {
    private static func drain(_ store: Store, since token: ChangeToken?, _ filter: ChangeFilter = .contacts())
        async throws -> (sets: [ChangeSet], token: ChangeToken?)
    {
        var (sets, last) = ([ChangeSet](), token)
        for try await set in store.changes(since: token, through: try store.currentToken(), matching: filter) {
            if !set.changes.isEmpty { sets.append(set) }
            last = set.token
        }
        return (sets, last)
    }

    @Test(arguments: UInt64(1)...20)
    func `says all that is needed to follow what stands, in whatever order it arrives`(seed: UInt64) async throws {
        var fleet = try await Fleet(2, seed: seed)
        defer { fleet.close() }
        var copies: [(copy: Copy, token: ChangeToken?)] = [(Copy(), nil), (Copy(), nil)]
        func follow(_ place: Int) async throws {
            let (sets, token) = try await Self.drain(fleet.stores[place], since: copies[place].token)
            for change in sets.flatMap(\.changes) { copies[place].copy.follow(change) }
            copies[place].token = token
            var present = try Copy(of: fleet.stores[place])
            // What was erased before anything of it was shown here is not told.
            present.erased.formIntersection(copies[place].copy.erased)
            #expect(copies[place].copy == present)
        }
        for step in 0..<24 {
            try await fleet.step()
            let place = Int.random(in: 0..<2, using: &fleet.numbers)
            let store = fleet.stores[place]
            if step % 6 == 5, let id = try store.read({ try $0.all(.everything).map(\.id) }).first {
                try await store.erase([id])
            }
            // An erasure takes values away that an earlier place would have told: both follow before it spreads.
            try await follow(0)
            try await follow(1)
        }
        try fleet.meet()
        for place in 0..<2 { try await follow(place) }
        #expect(copies[0].copy.shown == copies[1].copy.shown && copies[0].copy.hidden == copies[1].copy.hidden)
    }

    @Test func `does not tell a write that lost as what stands`() async throws {
        let fleet = try await Fleet(2, seed: 7, skew: .zero)
        defer { fleet.close() }
        let (one, two) = (fleet.stores[0], fleet.stores[1])
        let id = try await one.write { try $0.add("qso", [Assignment("CALL", text: "W1AW")]) }.value
        try fleet.meet()
        _ = try await two.write { try $0.set("qso", id, [Assignment("NAME", text: "Bob")]) }
        fleet.clocks[0].advance(by: .seconds(60))
        _ = try await one.write { try $0.set("qso", id, [Assignment("NAME", text: "Ann")]) }
        let token = try one.currentToken()
        try fleet.meet()
        #expect(try one.read { try $0.record("qso", id)?.text(.name) } == "Ann")
        let change = try #require(try await Self.drain(one, since: token).sets.first?.changes.first)
        #expect(change.fields.isEmpty && change.conflicts == ["NAME"] && change.changedConflicts == ["NAME"])
        let filter = ChangeFilter.kind("qso", fields: ["CALL"])
        #expect(try await Self.drain(one, since: token, filter).sets.isEmpty)
    }

    @Test func `tells that a hidden record was erased`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let id = try await store.write { try $0.add("qso", [Assignment("CALL", text: "N0CALL")]) }.value
        _ = try await store.write { try $0.remove("qso", id) }
        let token = try store.currentToken()
        try await store.erase([id])
        let change = try #require(try await Self.drain(store, since: token).sets.first?.changes.first)
        #expect(change.record == id && change.before == .hidden && change.after == .erased)
        #expect(change.fields.map(\.field) == [""] && change.fields.map(\.operation) == [.erase])
    }

    @Test func `ends where it is told to, with a token behind all that did not match`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        for number in 0..<5 {
            _ = try await store.write { try $0.add("friend", [Assignment("CALL", text: "N\(number)CALL")]) }
        }
        let (sets, token) = try await Self.drain(store, since: nil)
        #expect(sets.isEmpty)
        #expect(try token == store.currentToken())
        let (none, same) = try await Self.drain(store, since: token)
        #expect(none.isEmpty && same == token)
    }

    @Test func `of batches that the views have not folded yet are told`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let token = try store.currentToken()
        // As an import of another program does: its batches are in the log before they are in the views.
        let replica = try #require(store.replica)
        var batch = DraftBatch()
        var generator = SystemRandomNumberGenerator()
        let change = Change(
            kind: "qso", record: RecordID(high: 1, low: 2),
            operations: QSOKind.schema.operations(assigning: [Assignment("CALL", text: "W1AW")], to: nil))
        batch.append(change, by: replica, using: &generator)
        _ = try store.log.append([batch], as: replica, arrival: store.surroundings.now())
        let told = try await Self.drain(store, since: token).sets.flatMap(\.changes)
        #expect(told.map(\.record) == [RecordID(high: 1, low: 2)] && told.first?.fields.map(\.field) == ["CALL"])
    }

    @Test func `of contacts whose event was lost tells them when they come back`() async throws {
        let fleet = try await Fleet(2, seed: 3)
        defer { fleet.close() }
        let store = fleet.stores[0]
        let id = try await store.write { try $0.add("qso", [Assignment("CALL", text: "W1AW")]) }.value
        let (sets, _) = try await Self.drain(store, since: nil)
        #expect(sets.flatMap(\.changes).map(\.record) == [id])
        #expect(sets.first?.changes.first?.before == .absent && sets.first?.changes.first?.after == .shown)
    }
}

@Suite struct `A consumer of changes` {
    private enum Lamp: RecordKind {
        static let schema = KindSchema(name: "lamp", fields: [FieldSchema(1, "NAME")])
    }

    private enum NewerLamp: RecordKind {
        static let schema = KindSchema(
            name: "lamp", version: 2, fields: [FieldSchema(1, "NAME"), FieldSchema(2, "ROOM")])
    }

    private func steps(
        _ store: Store, _ name: String = "search", acknowledging: Bool = true
    ) async throws -> [String] {
        let consumer = try store.consumer(name, matching: .kind("lamp"))
        var seen: [String] = []
        for try await step in consumer.steps(through: try store.currentToken()) {
            switch step {
            case .reset: seen.append("reset")
            case .changes(let set):
                seen += set.changes.map { String(decoding: $0.fields.first?.after ?? [], as: UTF8.self) }
            }
            if acknowledging { try await consumer.acknowledge(step) }
        }
        return seen
    }

    private func add(_ name: String, to store: Store) async throws {
        _ = try await store.write { try $0.add("lamp", [Assignment("NAME", text: name)]) }
    }

    @Test func `begins with a reset, and goes on behind what it acknowledged, also after a restart`() async throws {
        let configuration = Configuration(kinds: [Lamp.self])
        let temporary = try await TemporaryStore(configuration)
        let store = temporary.store
        try await add("desk", to: store)
        #expect(try await steps(store) == ["reset"], "what is there is read, and not told")
        try await add("wall", to: store)
        #expect(try await steps(store, acknowledging: false) == ["wall"])
        #expect(try await steps(store) == ["wall"], "what was not acknowledged comes again")
        #expect(try store.consumers() == ["search"])
        try store.close()
        let again = try await temporary.reopened(configuration)
        try await add("roof", to: again)
        #expect(try await steps(again) == ["roof"])
        #expect(try await steps(again, "other") == ["reset"])
        try await again.consumer("search").forget()
        #expect(try again.consumers() == ["other"])
        #expect(try again.compareWithReplay().isSame)
        try again.close()
    }

    @Test func `is reset by an upgrade that reads more of the kind, and by a clear`() async throws {
        let temporary = try await TemporaryStore(Configuration(kinds: [Lamp.self]))
        #expect(try await steps(temporary.store) == ["reset"])
        try temporary.store.close()
        let newer = try await temporary.reopened(Configuration(kinds: [NewerLamp.self]))
        #expect(try await steps(newer) == ["reset"])
        #expect(try await steps(newer) == [])
        _ = try await newer.clear(newer.prepareClearing())
        #expect(try await steps(newer) == ["reset"])
        try newer.close()
    }

    @Test(arguments: ["", "two\nlines", String(repeating: "x", count: 65)])
    func `needs a name that can be kept`(name: String) async throws {
        let temporary = try await TemporaryStore(Configuration())
        let error = #expect(throws: StoreError.self) { try temporary.store.consumer(name) }
        #expect(error?.code == .usage)
    }
}
