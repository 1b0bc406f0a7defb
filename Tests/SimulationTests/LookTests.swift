import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveReplication
import Testing

@testable import histories

@Suite struct `A device that looks at a place` {
    private let truth = Truth(isTold: false)
    private let place = MemoryTransport()

    private func device(_ number: Int) -> Device<MemoryLog> {
        Device(
            number: number, log: .empty(LogID(high: 1, low: 2)), identity: Signing.standIn.identities[number],
            places: 1, signing: .standIn, truth: truth)
    }

    private func look(_ device: Device<MemoryLog>) async throws {
        let arrival = device.arrival(at: 1000)
        var pass = SyncPass(
            device, as: device.identity, at: place, cache: RemoteCache(reading: device.notes[0]),
            checkSignature: device.signing.checkHead, isValid: device.signing.isValid, now: { arrival })
        defer { device.notes[0] = pass.cache.bytes }
        try await pass.run(isPushing: true, isFull: false)
    }

    @Test func `takes the next time what its disk had no room for`() async throws {
        let (author, reader) = (device(0), device(1))
        for number in UInt64(1)...3 {
            var batch = DraftBatch()
            SpecialEvent.appendUnknown(number, to: &batch)
            try author.write(batch, at: 1000)
            try await look(author)
        }
        reader.mishap = .commitFailed
        do {
            try await look(reader)
            Issue.record("A full disk has taken what came.")
        } catch Mishap.commitFailed { #expect(reader.log.vector().entries.isEmpty) }
        try await look(reader)
        #expect(reader.log.vector() == author.log.vector())
    }

    @Test func `leaves events where a range of another history lies that has their numbers`() async throws {
        let (author, holder, other, reader) = (device(0), device(1), device(2), device(3))
        func write(_ device: Device<MemoryLog>, _ number: UInt64) throws {
            var batch = DraftBatch()
            SpecialEvent.appendUnknown(number, to: &batch)
            try device.write(batch, at: 1000)
        }
        for number in UInt64(1)...2 { try write(author, number) }
        let twin = device(0)
        twin.log = try author.log.copy()
        for number in UInt64(13)...14 { try write(twin, number) }
        try write(author, 3)
        let replica = author.identity.replica
        truth.allowFork(of: replica)
        func receive(_ first: UInt64, _ last: UInt64, of author: Device<MemoryLog>, by device: Device<MemoryLog>) throws
        {
            let frame = try author.log.frame(
                of: EventRange(replica, first, through: last), signedBy: author.identity, preferredBytes: 1 << 20)
            _ = try device.receive([#require(frame)], arrival: Arrival(milliseconds: 1000))
        }
        // Nobody has the twin's third event, so nobody can tell which history its fourth one is of.
        try receive(4, 4, of: twin, by: holder)
        try await look(holder)
        try receive(1, 3, of: author, by: other)
        try await look(other)
        try write(author, 4)
        try receive(4, 4, of: author, by: other)
        try await look(other)
        try await look(reader)
        #expect(reader.log.vector()[replica] == 4)
        #expect(Set(try reader.log.leaves()).isSuperset(of: try author.log.leaves()))
        #expect(reader.log.retainedFrames().map(\.range) == [EventRange(replica, 4, through: 4)])
    }
}
