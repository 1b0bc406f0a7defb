import Foundation
import GroundwaveADIF
import GroundwaveSeededNumbers
import LoggerDatagrams
import Testing

@testable import GroundwaveLoggerMessages

@Suite struct `Datagrams by chance` {
    @Test(arguments: UInt64(1)...200)
    func `what a program reports is what is read`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let sample = SampleContact.random(using: &numbers)
        let network = try #require(LoggerMessage.contact(in: NetworkDatagram.contactLogged(sample)))
        #expect(network.values == sample.fields)
        let text = try #require(LoggerMessage.contact(in: NetworkDatagram.adifLogged(sample)))
        #expect(text.values == sample.fields)
        let contest = try #require(LoggerMessage.contact(in: ContestDatagram.contact(sample, id: "a\(seed)")))
        let same = ["CALL", "QSO_DATE", "TIME_ON", "BAND", "MODE", "SUBMODE", "GRIDSQUARE", "COMMENT", "NAME"]
        for name in same { #expect(contest.values[name] == sample.fields[name]) }
        #expect(contest.values["FREQ"] == sample.megahertz(5) && contest.values["APP_N1MM_ID"] == "a\(seed)")
    }

    @Test(arguments: UInt64(1)...20)
    func `what is cut off is no contact, or one without the values behind the cut`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let sample = SampleContact.random(using: &numbers)
        let required = NetworkDatagram.contactLogged(sample, laterCount: 0).count
        let ends = Set((0...6).map { NetworkDatagram.contactLogged(sample, laterCount: $0).count })
        let datagram = NetworkDatagram.contactLogged(sample)
        for count in datagram.indices {
            let contact = LoggerMessage.contact(in: Array(datagram.prefix(count)))
            #expect((contact != nil) == ends.contains(count), "\(count) of \(datagram.count), \(required) are required")
            for (name, value) in contact?.values ?? [:] { #expect(sample.fields[name] == value) }
        }
        for datagram in [
            NetworkDatagram.adifLogged(sample), ContestDatagram.contact(sample, id: "a"),
            ContestDatagram.deletion(sample, id: "a"), Array(sample.adif.utf8),
        ] {
            for count in datagram.indices {
                let messages = LoggerMessage.messages(in: Array(datagram.prefix(count)))
                #expect(messages.allSatisfy { !$0.changesLog }, "\(count) of \(datagram.count)")
            }
        }
    }

    @Test(arguments: UInt64(1)...100)
    func `changed bytes crash nothing, and without the first number there is no contact`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let sample = SampleContact.random(using: &numbers)
        let datagrams = [
            NetworkDatagram.contactLogged(sample), NetworkDatagram.adifLogged(sample),
            ContestDatagram.contact(sample, id: "a"), ContestDatagram.deletion(sample, id: "a"),
            Array(sample.adif.utf8), NetworkDatagram.decode(sample.adif),
        ]
        for datagram in datagrams {
            for _ in 0..<50 {
                var changed = datagram
                for _ in 0...Int.random(in: 0...3, using: &numbers) {
                    changed[Int.random(in: changed.indices, using: &numbers)] = UInt8.random(
                        in: 0...255, using: &numbers)
                }
                // A contact that is left has a call.
                for case .contact(let contact) in LoggerMessage.messages(in: changed) {
                    #expect(contact.fields.text(.call) != nil)
                }
            }
        }
        for place in 0..<4 {
            for var datagram in datagrams[..<2] {
                datagram[place] ^= UInt8.random(in: 1...255, using: &numbers)
                #expect(LoggerMessage.messages(in: datagram).allSatisfy { !$0.changesLog })
            }
        }
        #expect(LoggerMessage.messages(in: numbers.bytes(Int.random(in: 0...600, using: &numbers))) == [.unknown])
    }
}

extension SampleContact {
    /// A contact whose values are drawn.
    static func random(using numbers: inout SeededGenerator) -> SampleContact {
        func text(_ most: Int) -> String {
            let characters = Array("ABC xyz,-<>&\"'09äß☃")
            let count = Int.random(in: 0...most, using: &numbers)
            let text = (0..<count).map { _ in characters[Int.random(in: characters.indices, using: &numbers)] }
            return String(text).trimmingCharacters(in: .whitespaces)
        }
        func moment() -> Moment {
            func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &numbers) }
            return Moment(
                number(1945...2090), number(1...12), number(1...28), number(0...23), number(0...59), number(0...59))
        }
        func one<Value>(of values: [Value]) -> Value { values[Int.random(in: values.indices, using: &numbers)] }
        var sample = SampleContact("\(one(of: ["W1", "K1", "N0"]))AA\(one(of: Array(0...9)))")
        let (edge, band) = one(of: [
            (1_800_000, "160m"), (7_000_000, "40m"), (14_000_000, "20m"), (50_000_000, "6m"), (432_000_000, "70cm"),
        ])
        (sample.hertz, sample.band) = (UInt64(edge + Int.random(in: 0...90_000, using: &numbers)), band)
        (sample.mode, sample.adifMode) = one(of: [
            ("FT8", ["MODE": "FT8"]), ("FT4", ["MODE": "MFSK", "SUBMODE": "FT4"]), ("CW", ["MODE": "CW"]),
            ("Q65", ["MODE": "MFSK", "SUBMODE": "Q65"]), ("JT65", ["MODE": "JT65"]),
        ])
        (sample.comment, sample.name, sample.power) = (text(40), text(20), text(4))
        (sample.start, sample.end) = (moment(), moment())
        (sample.grid, sample.myGrid, sample.propagation) = (text(4), text(6), text(3))
        (sample.exchangeSent, sample.exchangeReceived) = (text(12), text(12))
        return sample
    }
}
