import Everything
import Foundation
import Groundwave
import GroundwaveTesting
import Testing

/// The words of comments, to look for; how many contacts each band has and with how long comments; and who was worked first.
private enum Comments: Projection {
    static let name = "comments"
    static let kinds = ["qso"]

    static func project(_ kind: String, _ id: RecordID, _ record: borrowing ShownValues, into rows: inout ProjectedRows)
    {
        guard record.isVisible else { return rows.add(sums: [1], to: ["hidden"]) }
        let comment = record.text("COMMENT") ?? ""
        for word in comment.split(separator: " ") { rows.add(["word", .text(String(word))]) }
        rows.add(sums: [1, Int64(comment.utf8.count)], to: ["band", .text(record.text("BAND") ?? "")])
        rows.add(["call", .text(record.text("CALL") ?? ""), .text(record.text("QTH") ?? "")], value: [1])
    }
}

/// What the projection has, by its own reading and by hand.
private struct Tables: Equatable {
    var rows: Set<String> = []
    var sums: [ProjectionKey: [Int64]] = [:]

    init(read view: borrowing ViewReader) throws {
        var last: ProjectionKey?
        try view.forEachRow(of: Comments.self) { key, record, value in
            rows.insert("\(key.values) \(record) \(value)")
            last = key
            return true
        }
        #expect(last.map { $0.values.first == "word" || $0.values.first == "call" } ?? true)
        try view.forEachSums(of: Comments.self) { key, sums in
            self.sums[key] = sums
            return true
        }
    }

    init(byHand contacts: [Record], hidden: Int) {
        if hidden > 0 { sums[["hidden"]] = [Int64(hidden)] }
        for contact in contacts {
            let comment = contact.text(.comment) ?? ""
            for word in comment.split(separator: " ") {
                let key: [ProjectionKey.Value] = ["word", .text(String(word))]
                rows.insert("\(key) \(contact.id) []")
            }
            let call: [ProjectionKey.Value] = [
                "call", .text(contact.text(.call) ?? ""), .text(contact.text(.qth) ?? ""),
            ]
            rows.insert("\(call) \(contact.id) [1]")
            let band: ProjectionKey = ["band", .text(contact.text(.band) ?? "")]
            let former = sums[band] ?? [0, 0]
            sums[band] = [
                former[0] + 1, former.count > 1 ? former[1] + Int64(comment.utf8.count) : Int64(comment.utf8.count),
            ]
        }
        for (band, numbers) in sums { sums[band] = numbers.last == 0 ? Array(numbers.dropLast()) : numbers }
    }
}

@Suite struct `A projection of an application` {
    private func tables(_ state: some Reading) throws -> (projection: Tables, byHand: Tables) {
        try state.read { view in
            var query = ContactQuery.everything
            query.isHidden = true
            var hidden = 0
            try view.forEachRecord(of: "qso") { record in
                if !record.isVisible && !record.isErased { hidden += 1 }
                return true
            }
            return (try Tables(read: view), Tables(byHand: try view.all(.everything), hidden: hidden))
        }
    }

    private static let seeds: ClosedRange<UInt64> = {
        let words = ProcessInfo.processInfo.environment["GROUNDWAVE_PROJECTION_SEEDS"]?.components(separatedBy: "...")
        guard let words, words.count == 2, let first = UInt64(words[0]), let last = UInt64(words[1]) else {
            return 1...500
        }
        return first...last
    }()

    /// `GROUNDWAVE_PROJECTION_SEEDS=1...20` chooses the histories.
    @Test(arguments: seeds)
    func `agrees with a fold by hand, here and elsewhere, now and in the past`(seed: UInt64) async throws {
        var fleet = try await Fleet(2, seed: seed, projections: [Comments.self])
        defer { fleet.close() }
        for _ in 0..<24 {
            try await fleet.step()
            let store = fleet.stores[Int.random(in: 0..<2, using: &fleet.numbers)]
            let ids = try store.read { try $0.all(.everything).map(\.id) }
            switch Int.random(in: 0..<10, using: &fleet.numbers) {
            case 0: if let id = ids.randomElement(using: &fleet.numbers) { try await store.erase([id]) }
            case 1:
                let batches = try store.undoableBatches(3)
                _ = try await store.revert(batches.randomElement(using: &fleet.numbers))
            case 2: _ = try store.replay()
            default: break
            }
            let both = try tables(store)
            #expect(both.projection == both.byHand)
        }
        let store = fleet.stores[0]
        for position in stride(from: Position(1), through: try store.log.lastPosition(), by: 9) {
            do {
                let both = try tables(try await store.at(.position(position)))
                #expect(both.projection == both.byHand, "at \(position)")
            } catch let error as StoreError { #expect(error.code == .archived) }
        }
        try fleet.meet()
        let folder = try TemporaryFolder()
        let gone = Set(fleet.stores.compactMap(\.replica))
        let point = Point.position(try store.log.lastPosition() / 2)
        if seed.isMultiple(of: 3) { try await store.archive(before: point, to: folder.path("old.gwa"), retired: gone) }
        try fleet.meet()
        let (one, two) = (try tables(fleet.stores[0]), try tables(fleet.stores[1]))
        #expect(one.projection == one.byHand && two.projection == two.byHand && one.projection == two.projection)
        #expect(try store.compareWithReplay().isSame)
        // And from the log alone, as after a recovery.
        try store.close()
        try FileManager.default.removeItem(at: store.url.appending(path: "views.mdb"))
        let again = try await Store.open(
            at: store.url, .full(projections: [Comments.self], stateFolder: store.stateFolder)
        ).whole
        #expect(try tables(again).projection == one.projection)
        try again.close()
    }

    @Test func `has no text of what was erased, and finds words as they begin`() async throws {
        let temporary = try await TemporaryStore(.full(projections: [Comments.self]))
        let store = temporary.store
        let ids = try await store.write { batch in
            try ["secretword here", "other words"].map {
                try batch.add("qso", [Assignment("CALL", text: "N0CALL"), Assignment("COMMENT", text: $0)])
            }
        }.value
        func found(_ text: String) throws -> [RecordID] {
            try store.read { view in
                var found: [RecordID] = []
                try view.forEachRow(of: Comments.self, prefix: ["word"], text: text) { _, record, _ in
                    found.append(record)
                    return true
                }
                return found
            }
        }
        #expect(try found("secret") == [ids[0]] && found("wor") == [ids[1]] && found("o") == [ids[1]])
        try await store.erase([ids[0]])
        #expect(try found("secret") == [] && found("") == [ids[1], ids[1]])
        try store.close()
        let bytes = try Data(contentsOf: temporary.url.appending(path: "views.mdb"))
        #expect(bytes.range(of: Data("secretword".utf8)) == nil)
    }

    @Test func `that the store was opened without is refused by its name`() async throws {
        let temporary = try await TemporaryStore(.full())
        let error = #expect(throws: StoreError.self) {
            try temporary.store.read { try $0.sums(of: Comments.self, ["band"]) }
        }
        #expect(error?.code == .usage && error?.message.contains("comments") == true)
    }

    private enum Deep: Projection {
        static let name = "deep"
        static let kinds = ["qso"]
        static func project(
            _ kind: String, _ id: RecordID, _ record: borrowing ShownValues, into rows: inout ProjectedRows
        ) {
            let words = (record.text("COMMENT") ?? "").split(separator: " ").map {
                ProjectionKey.Value.text(String($0))
            }
            for count in words.indices { rows.add(ProjectionKey(Array(words[...count]))) }
            rows.add(sums: [1], to: ProjectionKey(words))
        }
    }

    @Test func `has the rows of a key before those of keys that begin with it, and keys of any length`() async throws {
        let temporary = try await TemporaryStore(.full(projections: [Deep.self]))
        let store = temporary.store
        let long = String(repeating: "long", count: 300)
        try await store.write { batch in
            for _ in 0..<12 { _ = try batch.add("qso", [Assignment("COMMENT", text: "a b c")]) }
            _ = try batch.add("qso", [Assignment("COMMENT", text: long)])
        }
        let (keys, found, sums) = try store.read { view in
            var (keys, found) = ([[ProjectionKey.Value]](), 0)
            try view.forEachRow(of: Deep.self, prefix: ["a"]) { key, _, _ in
                keys.append(key.values)
                return true
            }
            try view.forEachRow(of: Deep.self, prefix: [.text(long)]) { _, _, _ in
                found += 1
                return true
            }
            return (keys, found, try view.sums(of: Deep.self, [.text(long)]))
        }
        let expected: [[ProjectionKey.Value]] = [["a"], ["a", "b"], ["a", "b", "c"]]
        #expect(keys == expected.flatMap { Array(repeating: $0, count: 12) })
        #expect(found == 1 && sums == [1])
        #expect(try store.compareWithReplay().isSame)
    }

    private enum Twice: Projection {
        static let name = "comments"
        static let kinds = ["qso"]
        static func project(
            _ kind: String, _ id: RecordID, _ record: borrowing ShownValues, into rows: inout ProjectedRows
        ) {}
    }

    @Test func `of one name with another one is refused`() async throws {
        let folder = try TemporaryFolder()
        let error = await #expect(throws: StoreError.self) {
            try await Store.create(
                at: folder.url.appending(path: "store"), .full(projections: [Comments.self, Twice.self]))
        }
        #expect(error?.code == .usage)
    }
}

@Suite struct `Kinds of an application` {
    private enum Taken: RecordKind {
        static let schema = KindSchema(name: "equipment", fields: [FieldSchema(1, "NAME")])
    }

    @Test func `that have a name of the library are refused with the list of these, whichever parts are used`()
        async throws
    {
        let folder = try TemporaryFolder()
        for components in [[StoreComponent](), .all] {
            let error = await #expect(throws: StoreError.self) {
                try await Store.create(
                    at: folder.url.appending(path: "store"), Configuration(kinds: [Taken.self], components: components))
            }
            #expect(error?.code == .usage && error?.message.contains("equipment") == true)
            #expect(error?.hint?.contains("qso") == true && error?.hint?.contains("trace") == true)
        }
        #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "store/log.mdb").path))
    }

    @Test func `can have every name that no part of the library uses`() async throws {
        let temporary = try await TemporaryStore(.full())
        let used = temporary.store.kinds.all.map(\.name)
        #expect(Set(used) == RegisteredKinds.reserved, "each kind of the library is on the list, and nothing else")
    }
}
