import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwavePeering
import GroundwaveReplication
import GroundwaveSeededNumbers
import Testing

@Suite struct `Two stores that talk` {
    @Test(arguments: UInt64(1)...25)
    func `agree afterwards, whatever each of them had and however the bytes come`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let stores = try (1...3).map { try TestStore(seed: seed * 10 + $0) }
        for store in stores { try store.write(Int.random(in: 0...60, using: &numbers)) }
        for (left, right) in [(0, 1), (1, 2), (0, 2), (0, 1)] {
            var talk = try Conversation(stores[left], stores[right])
            while talk.underway.contains(where: { !$0.isEmpty }) {
                try talk.carry(to: Int.random(in: 0...1, using: &numbers), Int.random(in: 1...900, using: &numbers))
            }
            #expect(talk[0].session.isComplete)
            #expect(talk[1].session.isComplete)
            #expect(try stores[left].roots() == stores[right].roots())
        }
        #expect(try stores[0].roots() == stores[1].roots() && stores[1].roots() == stores[2].roots())
    }

    @Test func `go on where they were, wherever the connection is cut`() throws {
        // The whole conversation is cut at every 211th byte, again and again.
        let (left, right) = (try TestStore(seed: 1), try TestStore(seed: 2))
        try left.write(300, batchCount: 50)
        try right.write(200, batchCount: 7)
        var cuts = 0
        var isComplete = false
        while !isComplete, cuts < 2000 {
            var talk = try Conversation(left, right)
            // Up to a byte that moves on, then nothing more comes.
            var budget = 211 * (cuts + 1)
            while budget > 0, talk.underway.contains(where: { !$0.isEmpty }) {
                budget -= try talk.carry(to: cuts % 2, min(61, budget))
                if budget > 0 { budget -= try talk.carry(to: 1 - cuts % 2, min(61, budget)) }
            }
            isComplete = talk[0].session.isComplete
            cuts += 1
        }
        #expect(isComplete)
        #expect(cuts > 10)
        #expect(try left.roots() == right.roots())
    }

    @Test func `part if one greets as another device than it has proved to be`() throws {
        let (left, right, other) = (try TestStore(seed: 1), try TestStore(seed: 2), try TestStore(seed: 3))
        for peer in [right, other] {
            var (listening, greeting) = (
                try SessionRunner(left.log, as: left.identity, with: peer.identity.replica, now: { .test(1) }),
                try SessionRunner(right.log, as: right.identity, now: { .test(1) })
            )
            _ = try listening.start()
            _ = try listening.received(try greeting.start())
            let isBelieved = peer.identity.replica == right.identity.replica
            #expect((listening.ending == nil) == isBelieved)
            #expect((listening.session.remote != nil) == isBelieved)
        }
    }

    @Test func `send one event to whoever listens, in one message and an answer`() throws {
        let (left, right) = (try TestStore(seed: 1), try TestStore(seed: 2))
        try left.write(100)
        var talk = try Conversation(left, right)
        try talk.run()
        let before = talk[0].session.traffic
        try left.write(1)
        try talk.logChanged(0)
        try talk.carry(to: 1)
        #expect(try right.roots() == left.roots())
        try talk.run()
        #expect(talk[0].session.isComplete && talk[1].session.isComplete)
        let after = talk[0].session.traffic
        let bytes = after.sentBytes - before.sentBytes + after.receivedBytes - before.receivedBytes
        #expect(bytes < 1024 + 100)
        print("one event: \(bytes) bytes both ways")
    }

    @Test func `with nothing to say say so in one exchange`() throws {
        let (left, right) = (try TestStore(seed: 1), try TestStore(seed: 2))
        try left.write(1000)
        var talk = try Conversation(left, right)
        try talk.run()
        talk = try Conversation(left, right)
        try talk.run()
        #expect(talk[0].session.isComplete)
        #expect(talk[0].session.traffic.sentBytes < 200)
    }

    @Test func `pass on what neither of them has written, also half batches that wait`() throws {
        let stores = try (1...4).map { try TestStore(seed: $0) }
        try stores[0].write(4, batchCount: 4)
        let replica = stores[0].identity.replica
        for (first, to) in [(UInt64(1), 1), (3, 2)] {
            let frame = try #require(
                try stores[0].log.frame(
                    of: EventRange(replica, first, through: first + 1), signedBy: stores[0].identity))
            _ = try stores[to].log.receive([frame], arrival: .test(1))
        }
        // Their author is gone. Through a fourth store the two halves meet.
        for (left, right) in [(1, 3), (2, 3), (3, 1)] {
            var talk = try Conversation(stores[left], stores[right])
            try talk.run()
        }
        #expect(try stores[3].log.vector()[replica] == 4)
        #expect(try stores[1].log.vector()[replica] == 4)
        withExtendedLifetime(stores) {}
    }

    @Test func `pass on both ranges that wait under the same numbers`() throws {
        let twins = try (0..<2).map { _ in try TestStore(seed: 1) }
        let holders = try (2...4).map { try TestStore(seed: $0) }
        let replica = twins[0].identity.replica
        for (place, twin) in twins.enumerated() {
            try twin.write(2, byteCount: 10 + place)
            let frame = try #require(
                try twin.log.frame(of: EventRange(replica, 2, through: 2), signedBy: twin.identity))
            _ = try holders[0].log.receive([frame], arrival: .test(1))
            // The other side has one of them already.
            if place == 0 { _ = try holders[1].log.receive([frame], arrival: .test(1)) }
        }
        for holder in holders.dropFirst() {
            var talk = try Conversation(holders[0], holder)
            try talk.run()
            #expect(talk[0].ending == nil && talk[1].ending == nil)
            #expect(try Set(holder.log.retainedFrames()) == Set(holders[0].log.retainedFrames()))
        }
        #expect(try holders[0].log.retainedFrames().count == 2)
        withExtendedLifetime((twins, holders)) {}
    }

    @Test func `do not take it that who passes on a range that waits has what comes before it`() throws {
        let stores = try (1...3).map { try TestStore(seed: $0) }
        try stores[0].write(4, batchCount: 1)
        let replica = stores[0].identity.replica
        for number in [UInt64(1), 4] {
            let frame = try #require(
                try stores[0].log.frame(
                    of: EventRange(replica, number, through: number), signedBy: stores[0].identity))
            _ = try stores[1].log.receive([frame], arrival: .test(1))
        }
        var talk = try Conversation(stores[1], stores[2])
        try talk.run()
        #expect(talk[0].ending == nil && talk[1].ending == nil)
        #expect(talk[0].session.isComplete && talk[1].session.isComplete)
        #expect(try stores[2].log.retainedFrames().map(\.range) == [EventRange(replica, 4, through: 4)])
    }

    @Test(arguments: UInt64(1)...6)
    func `send all of another history, whatever they were sending when they learnt of it`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let (left, right) = (try TestStore(seed: 1), try TestStore(seed: 1))
        let replica = left.identity.replica
        // Each range has one event.
        try left.write(1, byteCount: 600_000)
        let first = try #require(
            try left.log.frame(of: EventRange(replica, 1, through: 1), signedBy: left.identity))
        _ = try right.log.receive([first], arrival: .test(1))
        try left.write(9, batchCount: 1, byteCount: 600_000)
        try right.write(1, byteCount: 10)
        try right.write(2, batchCount: 1, byteCount: 600_000)
        // Whose replica it is would go on under another name; these only hold what it wrote.
        let holders = try (2...3).map { try TestStore(seed: $0) }
        for (holder, author, count) in [(holders[0], left, UInt64(10)), (holders[1], right, 4)] {
            for number in 1...count {
                let frame = try #require(
                    try author.log.frame(
                        of: EventRange(replica, number, through: number), signedBy: author.identity))
                _ = try holder.log.receive([frame], arrival: .test(1))
            }
        }
        var talk = try Conversation(holders[0], holders[1])
        while talk.underway.contains(where: { !$0.isEmpty }) {
            try talk.carry(to: Int.random(in: 0...1, using: &numbers), Int.random(in: 1...900_000, using: &numbers))
        }
        #expect(talk[0].ending == nil && talk[1].ending == nil)
        for (store, count) in [(holders[0], UInt64(4)), (holders[1], 10)] {
            let streams = try store.log.streams().children(of: replica)
            #expect(try streams.contains { try store.log.vector()[$0] == count - 1 })
        }
    }

    @Test func `say less of a history that has parted, also where the other knows what goes on from it`() throws {
        // All three begin with event 1. The first and the third have event 2 too; the second goes on otherwise from 1.
        // Streams are sent in order of their ids: with this seed the end of the first history before the second one.
        let histories = try (0..<3).map { _ in try TestStore(seed: 1) }
        let replica = histories[0].identity.replica
        func range(_ first: UInt64, _ last: UInt64, of history: Int) throws -> RangeFrame {
            let author = histories[history]
            return try #require(
                try author.log.frame(of: EventRange(replica, first, through: last), signedBy: author.identity))
        }
        try histories[0].write(1)
        for twin in histories.dropFirst() { _ = try twin.log.receive([range(1, 1, of: 0)], arrival: .test(1)) }
        try histories[0].write(1)
        _ = try histories[2].log.receive([range(2, 2, of: 0)], arrival: .test(1))
        try histories[0].write(1)
        // What is here in several ranges is known to be another history only when its batch has come to its end, and
        // proven only with the last of its events.
        try histories[1].write(4, batchCount: 4, byteCount: 600_000)
        try histories[2].write(2, batchCount: 1, byteCount: 600_000)
        let holders = try (11...12).map { try TestStore(seed: $0) }
        for (holder, history, last) in [(0, 0, 3), (0, 1, 5), (1, 2, 4)] as [(Int, Int, UInt64)] {
            for number in 1...last {
                _ = try holders[holder].log.receive([range(number, number, of: history)], arrival: .test(1))
            }
        }
        #expect(try holders[0].log.streams().branches.count == 2 && holders[1].log.streams().isEmpty)
        var talk = try Conversation(holders[0], holders[1])
        try talk.run()
        #expect(talk[0].ending == nil && talk[1].ending == nil)
        #expect(talk[0].session.isComplete && talk[1].session.isComplete)
        #expect(try holders[0].roots() == holders[1].roots())
        #expect(try holders[0].log.streams().branches.count == 4)
    }

    @Test func `learn of two histories of a replica also where both are as long`() throws {
        let twins = try (0..<2).map { _ in try TestStore(seed: 1) }
        let replica = twins[0].identity.replica
        let holders = try (2...3).map { try TestStore(seed: $0) }
        for (place, twin) in twins.enumerated() {
            try twin.write(3, byteCount: 10 + place)
            let frame = try #require(
                try twin.log.frame(of: EventRange(replica, 1, through: 3), signedBy: twin.identity))
            _ = try holders[place].log.receive([frame], arrival: .test(1))
        }
        // The numbers say that neither lacks anything.
        #expect(try holders[0].log.vector() == holders[1].log.vector())
        var talk = try Conversation(holders[0], holders[1])
        try talk.run()
        for side in 0..<2 {
            #expect(talk[side].ending == nil)
            #expect(talk[side].received.replicas == [replica])
        }
    }

    @Test func `learn of a fork, keep both histories, and go on with everybody else`() throws {
        let stores = try (1...3).map { try TestStore(seed: $0) }
        let replica = stores[0].identity.replica
        try stores[0].write(10)
        var talk = try Conversation(stores[0], stores[1])
        try talk.run()
        // The first store was copied; both go on, one further than the other.
        let twin = try TestStore(seed: 1)
        _ = try twin.log.receive(
            [
                try #require(
                    try stores[0].log.frame(of: EventRange(replica, 1, through: 10), signedBy: stores[0].identity))
            ],
            arrival: .test(1))
        try stores[0].write(3)
        try twin.write(9, batchCount: 3)
        try stores[2].write(5)
        talk = try Conversation(stores[1], stores[0])
        try talk.run()
        talk = try Conversation(twin, stores[2])
        try talk.run()
        talk = try Conversation(stores[1], stores[2])
        try talk.run()
        #expect(!talk[0].received.apart.isEmpty && !talk[1].received.apart.isEmpty)
        #expect(talk[0].ending == nil && talk[1].ending == nil)
        #expect(talk[0].session.isComplete && talk[1].session.isComplete)
        #expect(try stores[1].log.vector() == stores[2].log.vector())
        #expect(try stores[1].log.streams().children(of: replica).count == 2)
        #expect(try stores[1].log.vector()[stores[2].identity.replica] == 5)
    }
}

@Suite struct `A peer that lies` {
    private func talk(_ seed: UInt64 = 1) throws -> (TestStore, Conversation) {
        let (honest, liar) = (try TestStore(seed: seed), try TestStore(seed: seed + 50))
        try honest.write(20)
        return (honest, try Conversation(honest, liar))
    }

    private func isQuarantined(_ talk: Conversation) -> Bool {
        if case .quarantine = talk[0].ending { return true }
        return false
    }

    @Test func `and sends garbage is left`() throws {
        for seed in UInt64(1)...50 {
            var (_, talk) = try talk()
            var numbers = SeededGenerator(seed: seed)
            talk.put((0..<100).map { _ in UInt8.random(in: 0...255, using: &numbers) }, to: 0)
            // Behind it a length that fills whatever it announced.
            try talk.carry(to: 0)
            for _ in 0..<100 where talk[0].ending == nil {
                talk.put([UInt8](repeating: 0x55, count: 100_000), to: 0)
                try talk.carry(to: 0)
            }
            #expect(isQuarantined(talk))
        }
    }

    @Test func `and changes any byte of a conversation is left, or nothing is changed by it`() throws {
        for place in stride(from: 0, to: 1200, by: 7) {
            let (left, right) = (try TestStore(seed: 1), try TestStore(seed: 2))
            try right.write(6)
            var talk = try Conversation(left, right)
            try talk.carry(to: 1)
            var bytes = talk.underway[0]
            guard place < bytes.count else { break }
            bytes[place] ^= 0x20
            var changed = try Conversation(left, right)
            try changed.carry(to: 0)
            changed.put(bytes, to: 0)
            var victim = try SessionRunner(left.log, as: left.identity, now: { .test(1) })
            _ = try victim.start()
            _ = try victim.received(bytes)
            let now = try left.roots()
            #expect(try now.isEmpty || now == right.roots())
            #expect(victim.ending != nil || now.isEmpty)
        }
    }
}
