import GroundwaveByteCoding
import Testing

@testable import GroundwaveMeterProtocols
@testable import GroundwaveMetering

@Suite struct `Models of meters` {
    @Test(arguments: MeterModel.allCases)
    func `each has a name, a link and a decoder for it`(model: MeterModel) {
        #expect(!model.displayName.isEmpty && !model.links.isEmpty)
        for link in model.links {
            let decoder = model.makeDecoder(over: link)
            #expect(decoder.model == model && decoder.link == link)
            #expect(model.rowsPerSecond(over: link).lowerBound >= 1)
        }
        #expect(model.makeDecoder().link == model.links[0])
    }

    @Test func `a link that a meter has not is read as its usual one`() {
        #expect(MeterModel.km003c.makeDecoder(over: .bluetooth).link == .usb)
        #expect(MeterModel.um24c.makeDecoder(over: .usb).link == .bluetooth)
    }

    @Test func `a capture without times has the rate of the program's own requests, or that of a meter that sends`() {
        let rates = MeterModel.allCases.map { $0.usualRowsPerSecond(over: $0.links[0]) }
        #expect(rates == [2, 2, 2, 2, 100, 100, 100, 100, 5, 1])
        #expect(MeterModel.fnb58.usualRowsPerSecond(over: .bluetooth) == 10)
        for model in MeterModel.allCases {
            for link in model.links {
                let range = model.rowsPerSecond(over: link)
                #expect(range.contains(Int(model.usualRowsPerSecond(over: link))))
            }
        }
    }

    @Test func `what is sent is what the sources say`() {
        #expect(MeterModel.um34c.conversation(over: .bluetooth).poll?.bytes == [0xF0])
        #expect(MeterModel.tc66c.conversation(over: .usb).poll?.bytes == Array("getva".utf8))
        #expect(MeterModel.tc66c.conversation(over: .bluetooth).poll?.bytes == Array("bgetva\r\n".utf8))
        #expect(MeterModel.km003c.conversation(over: .usb).poll?.bytes(transaction: 9) == [0x0C, 9, 0x02, 0x00])
        #expect(MeterModel.atorch.conversation(over: .bluetooth) == MeterConversation())
    }

    @Test(arguments: [(MeterModel.fnb48, 3, 0x83), (.c1, 3, 0x83), (.fnb48s, 1_000, 0x82), (.fnb58, 1_000, 0x82)])
    func `FNIRSI meters are started by three reports and kept awake`(model: MeterModel, interval: Int, third: UInt8) {
        let conversation = model.conversation(over: .usb)
        #expect(conversation.poll == nil && conversation.keepAlive?.intervalMilliseconds == interval)
        #expect(conversation.start.map { $0[1] } == [0x81, 0x82, third] && conversation.keepAlive?.bytes[1] == 0x83)
        for report in conversation.start + [conversation.keepAlive?.bytes ?? []] {
            let check = report[1..<63].span.bytes
            #expect(report.count == 64 && report[0] == 0xAA && FrameCheck.crc8(check, from: 0x42) == report[63])
        }
        #expect(model.conversation(over: .bluetooth).start.map { $0[1] } == [0x81, 0x82])
    }

    @Test(arguments: [
        KM003CQueue.layout, KM003CQueue.slowLayout, KM003CQueue.rawLayout, KM003CReading.layout, RDTechUM.coarseLayout,
        RDTechUM.fineLayout, RDTechTC66.layout, FNIRSIReports.layout, FNIRSIBluetooth.coarseLayout,
        AtorchReport.usbLayout, AtorchReport.dcLayout, AtorchReport.acLayout,
    ])
    func `channels have names of their own in lower case and at most nine decimals`(layout: Layout) {
        #expect(Set(layout.channels.map(\.name)).count == layout.channels.count)
        for channel in layout.channels {
            #expect(channel.name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !(0x41...0x5A).contains($0) })
            #expect((0...9).contains(channel.decimals))
        }
    }
}
