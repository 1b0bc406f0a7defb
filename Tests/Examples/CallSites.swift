import Everything
import Foundation
import Groundwave
import GroundwaveTesting
import Testing

/// A kind of an application's own.
enum Antenna: RecordKind {
    static let schema = KindSchema(
        name: "antenna", fields: [FieldSchema(1, "NAME"), FieldSchema(2, "HEIGHT"), FieldSchema(3, "BANDS", .union)])
}

/// The call sites of the public interface, as an application writes them.
@Suite struct `Call sites` {
    @Test func `opening hands out a store, or says why there is none`() async throws {
        let made = try await TemporaryStore(Configuration.full(author: "N0CALL"))
        let url = made.url
        try made.store.close()
        let opened: Store
        switch try await Store.open(at: url, Configuration.full(author: "N0CALL", kinds: [Antenna.self])) {
        case .ready(let store): opened = store
        case .recovering(let recovery): opened = recovery.temporary
        }
        #expect(opened.kinds["antenna"] != nil)
        #expect(opened.author == "N0CALL")
        let nowhere = url.appending(path: "nowhere")
        let error = await #expect(throws: StoreError.self) { try await Store.open(at: nowhere, .full()) }
        #expect(error?.code == .notFound)
        #expect(!FileManager.default.fileExists(atPath: nowhere.path), "opening never makes a store")
    }

    @Test func `a contact is logged in one line`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let saved = try await store.write {
            try $0.add(Contact("W1AW", frequency: Frequency(hertz: 14_032_500), mode: .cw))
        }
        let contact = try #require(try store.read { try $0.find(saved.value) })
        #expect(contact.call == "W1AW")
        #expect(contact.frequency == Frequency(hertz: 14_032_500))
        #expect(contact.band?.name == "20m", "the band follows from the frequency")
        #expect(contact.mode == .cw)
        #expect(saved.batch?.count == 1)
    }

    @Test func `one field is edited with a note, and the edit is taken back`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let saved = try await store.write {
            try $0.add(Contact("W1AW", frequency: Frequency(hertz: 14_032_500), mode: .cw))
        }
        let fix = try await store.write(note: "Read back wrong") { batch in
            try batch.set(\.frequency, of: saved.value, to: Frequency(hertz: 7_032_500))
        }
        let edited = try #require(try store.read { try $0.find(saved.value) })
        #expect(edited.frequency == Frequency(hertz: 7_032_500))
        #expect(edited.band?.name == "40m", "frequency and band say one thing")
        try await store.revert(fix.batch, note: "undo")
        let reverted = try #require(try store.read { try $0.find(saved.value) })
        #expect(reverted.frequency == Frequency(hertz: 14_032_500))
        #expect(reverted.band?.name == "20m")
        #expect(reverted.mode == .cw, "what the batch did not touch stays")
    }

    @Test func `two questions are answered by one state`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        try await store.write { batch in
            _ = try batch.add(Contact("W1AW", frequency: Frequency(hertz: 14_032_500), mode: .cw))
            _ = try batch.add(Contact("N0CALL", band: Band(named: "20m"), mode: .ssb))
            _ = try batch.add(Contact("W1AW", start: 0, mode: .cw))
        }
        let (count, before) = try store.read { view in
            (try view.count(.contacts.on(.now)), try view.all(.contacts.worked("W1AW")))
        }
        #expect(count == 2)
        #expect(before.count == 2)
        #expect(before.allSatisfy { Contact($0).call == "W1AW" })
    }

    @Test func `a list follows what is written`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        var counts: [Int] = []
        for try await contacts in store.values(of: .contacts.on(.now)) {
            counts.append(contacts.count)
            if contacts.count == 2 { break }
            try await store.write { try $0.add(Contact("N\(contacts.count)CALL", mode: .cw)) }
        }
        #expect(counts == [0, 1, 2])
    }

    @Test func `who needs to know hears which fields changed, by whom, and from where to go on`() async throws {
        let temporary = try await TemporaryStore(Configuration.full(author: "N0CALL", deviceName: "shack"))
        let store = temporary.store
        let saved = try await store.write {
            try $0.add(Contact("W1AW", frequency: Frequency(hertz: 14_032_500), mode: .cw))
        }
        var token = try store.currentToken()
        try await store.write { try $0.set(\.name, of: saved.value, to: "Ann") }
        try await store.write(note: "Read back wrong") {
            try $0.set(\.frequency, of: saved.value, to: Frequency(hertz: 14_035_000))
        }
        for try await set in store.changes(since: token, matching: .contacts([\.frequency])) {
            token = set.token
            #expect(set.author == "N0CALL")
            #expect(set.device == "shack")
            #expect(set.isLocal)
            #expect(set.note == "Read back wrong")
            let field = try #require(set.changes.first?.fields.first { $0.field == "FREQ" })
            #expect(field.before == Array("14.0325".utf8))
            #expect(field.after == Array("14.035".utf8))
            break
        }
        #expect(token == (try store.currentToken()), "the change of the name was passed over")
    }

    @Test func `the store as it was is read like the present one`() async throws {
        let clock = VirtualClock()
        let temporary = try await TemporaryStore(Configuration.full(surroundings: .virtual(clock, seed: 1)))
        let store = temporary.store
        let saved = try await store.write { try $0.add(Contact("W1AW", mode: .cw)) }
        let yesterday = Date(timeIntervalSince1970: Double(clock.now.wallMilliseconds) / 1000)
        clock.advance(by: .seconds(86_400))
        try await store.write { try $0.set(\.mode, of: saved.value, to: .ssb) }
        let then = try await store.at(.time(yesterday)).read { try $0.find(saved.value) }
        #expect(then?.mode == .cw)
        #expect(try store.read { try $0.find(saved.value) }?.mode == .ssb)
        let before = try await store.at(.time(yesterday.addingTimeInterval(-1))).read { try $0.find(saved.value) }
        #expect(before == nil)
    }

    @Test func `the history of a field tells who changed what into what`() async throws {
        let temporary = try await TemporaryStore(Configuration.full(deviceName: "shack"))
        let store = temporary.store
        let saved = try await store.write {
            try $0.add(Contact("W1AW", frequency: Frequency(hertz: 14_032_500), mode: .cw))
        }
        try await store.write(note: "Read back wrong", author: "N0CALL") { batch in
            try batch.set(\.frequency, of: saved.value, to: Frequency(hertz: 14_035_000))
        }
        try await store.write { try $0.set(\.name, of: saved.value, to: "Ann") }
        var lines: [String] = []
        for try await change in store.history(of: saved.value, field: \.frequency) {
            lines.append("\(change.author ?? change.device): \(change.before ?? "–") → \(change.after ?? "–")")
        }
        #expect(lines == ["N0CALL: 14.0325 → 14.035", "shack: – → 14.0325"])
    }

    @Test func `what a meter measures is recorded as it comes, and is there when recording ends`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let meter = try #require(MACAddress("02:00:00:00:00:01"))
        // Ten answers of a meter, each with 5 V and a current that rises.
        let frames = AsyncStream { continuation in
            var decoder = MeterModel.um25c.makeDecoder()
            for number in 0..<10 {
                var rows = DecodedRows()
                decoder.consume(answer(milliamperes: 100 + number).span.bytes, into: &rows)
                continuation.yield(rows)
            }
            continuation.finish()
        }
        let recorder = try await store.record(meter: meter, model: .um25c)
        for await rows in frames { try await recorder.append(rows) }
        try await recorder.finish()
        let trace = try #require(try store.traces().last)
        #expect(trace.id == recorder.trace && trace.meter == meter && trace.end == .finished)
        let summary = try store.summary(of: trace.id)
        #expect(summary.rowCount == 10 && summary.missingCount == 0)
        let part = try #require(summary.parts.first)
        let current = try #require(part.layout.currentChannel)
        #expect((part.cells[current].least, part.cells[current].greatest) == (1000, 1090), "in tenths of a milliampere")
        #expect(try store.verify(trace).isOK)
        await #expect(throws: StoreError.self, "what has ended takes no more") {
            try await recorder.append(DecodedRows())
        }
    }

    /// What a UM25C answers (130 bytes, big-endian).
    private func answer(milliamperes: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 130)
        for (offset, value) in [(0, 0x09C9), (2, 5_000), (4, milliamperes * 10), (128, 0xFFF1)] {
            (bytes[offset], bytes[offset + 1]) = (UInt8(value >> 8), UInt8(value & 0xFF))
        }
        return bytes
    }
}
