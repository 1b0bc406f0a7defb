import EventLog
import Events
import Replication
import Testing

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
        var exchange = Exchange(
            device, as: device.identity, at: place, notes: PlaceNotes(reading: device.notes[0]),
            checkSignature: device.signing.checkHead, isValid: device.signing.isValid, now: { arrival })
        defer { device.notes[0] = exchange.notes.bytes }
        try await exchange.run(isPushing: true, isFull: false)
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
}
