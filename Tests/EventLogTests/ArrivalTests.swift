import Testing

@testable import GroundwaveEventLog
@testable import GroundwaveLogFormat

@Suite struct `The start of the machine in an arrival` {
    private func arrival(_ boot: [UInt8]) -> Arrival {
        Arrival(wallMilliseconds: 1, monotonicMilliseconds: 1, boot: boot)
    }

    @Test func `is the same where it has one name, and never where it has none`() {
        let (one, other, none) = (
            [UInt8](repeating: 1, count: 16), [UInt8](repeating: 2, count: 16), [UInt8](repeating: 0, count: 16)
        )
        #expect(arrival(one).isOfSameBoot(as: arrival(one)))
        #expect(!arrival(one).isOfSameBoot(as: arrival(other)))
        #expect(!arrival(none).isOfSameBoot(as: arrival(none)))
        #expect(!arrival([]).isOfSameBoot(as: arrival([])))
        #expect(!arrival([1]).isOfSameBoot(as: arrival([1])))
    }

    @Test func `is read from what the system says`() {
        let wanted: [UInt8] = [
            0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0xFE, 0xDC, 0xBA, 0x98, 0x76, 0x54, 0x32, 0x10,
        ]
        // As Linux and as macOS write it.
        for text in ["01234567-89ab-cdef-fedc-ba9876543210\n", "01234567-89AB-CDEF-FEDC-BA9876543210\0"] {
            #expect(Arrival.bootID(from: Array(text.utf8)) == wanted)
        }
        for text in ["", "01234567", "01234567-89ab-cdef-fedc-ba98765432100"] {
            #expect(Arrival.bootID(from: Array(text.utf8)) == [UInt8](repeating: 0, count: 16))
        }
    }

    @Test func `is known on this machine, and stays what it is`() {
        #expect(Arrival.now().isOfSameBoot(as: Arrival.now()))
    }
}
