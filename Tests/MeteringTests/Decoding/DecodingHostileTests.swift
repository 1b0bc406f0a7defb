import Foundation
import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveMeterProtocols
@testable import GroundwaveMetering

@Suite struct `Decoding bytes that nobody vouches for` {
    /// A way for a meter to be read, its good frames by number, and how sure its check is.
    struct Meter: Sendable, CustomTestStringConvertible {
        let model: MeterModel
        let link: MeterModel.Link
        /// The most bytes that a decoder may keep.
        let bound: Int
        let frame: @Sendable (Int) -> [UInt8]

        var testDescription: String { "\(model) over \(link)" }
    }

    static let meters: [Meter] =
        [(MeterModel.um24c, RDTechUM.Model.um24c), (.um25c, .um25c), (.um34c, .um34c)].map { model, sender in
            Meter(model: model, link: .bluetooth, bound: 260) { MadeUp.um(sender, [(2, 2, 500 + $0), (92, 4, $0)]) }
        } + [
            Meter(model: .tc66c, link: .usb, bound: 384) { MadeUp.tc66([48: 50_000 + $0, 52: $0]) },
            Meter(model: .fnb48, link: .usb, bound: 128) { number in
                MadeUp.report((0..<4).map { .init(voltage: 500_000 + number, current: $0, temperature: 300) })
            },
            Meter(model: .fnb58, link: .bluetooth, bound: 518) { number in
                MadeUp.bluetooth(4, [UInt8(number & 255), UInt8(number >> 8), 0, 0, 1, 2, 0, 0, 3, 4, 0, 0])
            },
            Meter(model: .km003c, link: .usb, bound: 2_544) { number in
                MadeUp.data(MadeUp.queue(`Decoding what a KM003C answers`.samples(40 * number..<40 * number + 40)))
            },
            Meter(model: .atorch, link: .bluetooth, bound: 72) {
                `Decoding the reports of Atorch meters`.report(second: $0, breaksRule: false)
            },
            Meter(model: .atorch, link: .bluetooth, bound: 72) {
                `Decoding the reports of Atorch meters`.report(second: $0)
            },
        ]

    @Test(arguments: meters, UInt64(1)...20)
    func `noise gives no row, is refused to the last byte, and is not kept`(meter: Meter, seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        var decoder = meter.model.makeDecoder(over: meter.link)
        var rows = DecodedRows()
        var total = 0
        for _ in 0..<50 {
            let noise = numbers.bytes(Int.random(in: 0...400, using: &numbers))
            total += noise.count
            decoder.consume(noise, into: &rows)
            #expect(decoder.keptByteCount < meter.bound)
        }
        decoder.finish(into: &rows)
        #expect(rows.runs.isEmpty && rows.refusedByteCount == total && decoder.keptByteCount == 0)
    }

    @Test(arguments: meters, UInt64(1)...40)
    func `the same rows and refusals come out however the bytes were cut`(meter: Meter, seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        let bytes = (0..<30).flatMap { piece(of: meter, number: $0, &numbers).bytes }
        var whole = meter.model.makeDecoder(over: meter.link)
        let expected = whole.rows(of: bytes)
        let longest = [1, 3, 20, 64, 700].randomElement(using: &numbers) ?? 1
        let cuts = (0..<bytes.count).map { _ in Int.random(in: 1...longest, using: &numbers) }
        var pieces = meter.model.makeDecoder(over: meter.link)
        let found = pieces.rows(of: bytes, cutAt: cuts)
        let isSame = found.runs == expected.runs && found.refusals == expected.refusals
        #expect(isSame)
        #expect(found.uncheckedFrameCount == expected.uncheckedFrameCount)
    }

    @Test(arguments: meters.dropLast(), UInt64(1)...60)
    func `the rows of frames that arrived whole come out, whatever is between them`(meter: Meter, seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        let pieces = (0..<40).map { piece(of: meter, number: $0, &numbers) }
        let expected = pieces.filter(\.isWhole).flatMap { meter.model.rows(of: $0.bytes, over: meter.link).all }
        let found = meter.model.rows(of: pieces.flatMap(\.bytes), over: meter.link)
        let isComplete = isSubsequence(expected, of: found.all)
        #expect(isComplete)
        // What else came out came out of damaged frames, where their check did not see it.
        let spare = found.all.count - expected.count
        #expect(spare <= pieces.filter { !$0.isWhole && !$0.isNoise }.count * (meter.model == .km003c ? 40 : 4))
    }

    /// Only where all frames with rows have one length does the number of rows say how many bytes they took.
    private static let metersOfOneLength = meters.filter {
        $0.model != .km003c && ($0.link != .bluetooth || $0.model != .fnb58)
    }

    @Test(arguments: metersOfOneLength, UInt64(1)...20)
    func `each byte is in a row or refused`(meter: Meter, seed: UInt64) {
        let rowsAFrame = meter.model == .fnb48 ? 4 : 1
        var numbers = SeededGenerator(seed: seed)
        let bytes = (0..<40).flatMap { piece(of: meter, number: $0, &numbers).bytes }
        let rows = meter.model.rows(of: bytes, over: meter.link)
        #expect(rows.all.count / rowsAFrame * meter.frame(0).count + rows.refusedByteCount == bytes.count)
    }

    @Test(arguments: meters, UInt64(1)...60)
    func `bytes that look like beginnings of frames do no harm`(meter: Meter, seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        let alphabet: [UInt8] = [
            0xAA, 0x04, 0x0C, 0xFF, 0x55, 0x01, 0x03, 0x41, 0xC1, 0x02, 0x00, 0x80, 0x05, 0x0B, 0x3F, 0x09, 0x63, 0xC9,
            0x0D, 0x4C, 0xF1, 0x10, 0x08,
        ]
        var decoder = meter.model.makeDecoder(over: meter.link)
        var rows = DecodedRows()
        for _ in 0..<200 {
            let count = Int.random(in: 1...80, using: &numbers)
            let bytes = (0..<count).map { _ in alphabet.randomElement(using: &numbers) ?? 0 }
            decoder.consume(bytes, into: &rows)
            #expect(decoder.keptByteCount < meter.bound)
            if numbers.chance(0.05) { decoder.begin(into: &rows) }
            if numbers.chance(0.1) { decoder.asked(transaction: UInt8.random(in: 0...255, using: &numbers)) }
        }
        decoder.finish(into: &rows)
        // Once asked for all there is, a good frame and another one are read.
        decoder = meter.model.makeDecoder(over: meter.link)
        #expect(!decoder.rows(of: meter.frame(1) + meter.frame(2)).runs.isEmpty)
    }

    /// Found by fuzzing: the check of a report holds by chance, its last byte begins another one that is whole, and that
    /// showed only where more bytes than the report were there.
    @Test func `a beginning in the last byte of a frame counts however the bytes were cut`() throws {
        let text =
            "qgQVAf////////////////8AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAP///////////ao6qg"
            + "QVAQN6AQwA/apXAAAAAAAAAP////////8yY2Fw////////////////////////////FUENggGqBBUBA/8VAA=="
        let stream = [UInt8](try #require(Data(base64Encoded: text)))
        func rows(piece: Int) -> DecodedRows {
            var decoder = MeterModel.fnb48.makeDecoder(over: .usb)
            var rows = DecodedRows()
            for start in stride(from: 0, to: stream.count, by: piece) {
                decoder.consume(Array(stream[start..<min(start + piece, stream.count)]), into: &rows)
            }
            decoder.finish(into: &rows)
            return rows
        }
        let whole = rows(piece: stream.count)
        #expect(whole.runs.count == 1 && whole.refusals.map(\.byteCount) == [63])
        for piece in 1..<stream.count { #expect(rows(piece: piece).runs == whole.runs, "cut by \(piece)") }
    }

    private struct Piece {
        let bytes: [UInt8]
        let isWhole: Bool
        let isNoise: Bool
    }

    /// A frame, a damaged frame or noise.
    private func piece(of meter: Meter, number: Int, _ numbers: inout SeededGenerator) -> Piece {
        var bytes = meter.frame(number)
        switch Int.random(in: 0..<10, using: &numbers) {
        case 0..<5: return Piece(bytes: bytes, isWhole: true, isNoise: false)
        case 5:
            let noise = numbers.bytes(Int.random(in: 1...100, using: &numbers))
            return Piece(bytes: noise, isWhole: false, isNoise: true)
        case 6:
            bytes[bytes.indices.randomElement(using: &numbers) ?? 0] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
        case 7:
            bytes.insert(
                contentsOf: numbers.bytes(Int.random(in: 1...9, using: &numbers)), at: place(in: bytes, &numbers))
        case 8: bytes.removeLast(Int.random(in: 8..<bytes.count, using: &numbers))
        default:
            // Eight bytes or more: what a KM003C's frame, which has no check, must lose for that to be seen.
            let start = place(in: bytes.dropLast(8), &numbers)
            let count = Int.random(in: 8...max(8, min(40, bytes.count - start - 1)), using: &numbers)
            bytes.removeSubrange(start..<min(start + count, bytes.count))
        }
        return Piece(bytes: bytes, isWhole: false, isNoise: false)
    }

    private func place(in bytes: some Collection<UInt8>, _ numbers: inout SeededGenerator) -> Int {
        Int.random(in: 0..<max(bytes.count, 1), using: &numbers)
    }

    private func isSubsequence(_ wanted: [[Int64]], of found: [[Int64]]) -> Bool {
        var rest = wanted[...]
        for row in found where row == rest.first { rest = rest.dropFirst() }
        return rest.isEmpty
    }
}
