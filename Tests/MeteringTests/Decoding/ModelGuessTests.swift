import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveMeterProtocols
@testable import GroundwaveMetering

@Suite struct `A guess of the model` {
    static let frames: [(MeterModel, [UInt8])] = [
        (.um24c, MadeUp.um(.um24c, [(2, 2, 501)])), (.um25c, MadeUp.um(.um25c, [(2, 2, 501)])),
        (.um34c, MadeUp.um(.um34c, [(2, 2, 501)])), (.tc66c, MadeUp.tc66([48: 501])),
        (.fnb48, MadeUp.report([.init(voltage: 507_120)])), (.km003c, MadeUp.data(MadeUp.reading([501]))),
        (.atorch, MadeUp.atorch(3, [(4, 3, 501)])),
    ]

    @Test(arguments: frames)
    func `is the model whose frames the bytes are, also where they begin and end within one`(
        model: MeterModel, frame: [UInt8]
    ) {
        let bytes = Array((frame + frame + frame + frame + frame).dropFirst(20).dropLast(20))
        let found = MeterModel.candidates(for: bytes)
        #expect(found.first == model)
        #expect(found.count == 1 || found == [.fnb48, .fnb48s, .c1, .fnb58])
    }

    @Test(arguments: UInt64(1)...20)
    func `is none for noise, and none for nothing`(seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        let noise = (0..<4_096).map { _ in UInt8.random(in: .min ... .max, using: &numbers) }
        #expect(MeterModel.candidates(for: noise).isEmpty && MeterModel.candidates(for: []).isEmpty)
    }
}
