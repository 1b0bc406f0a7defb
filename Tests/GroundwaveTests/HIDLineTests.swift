#if os(Linux)
import Everything
import Foundation
import GroundwaveMeterProtocols
import GroundwaveMetering
import GroundwaveTesting
import SimulatedMeters
import Synchronization
import Testing

@testable import GroundwaveMeters

/// A pair of sockets that keep the bounds of reports, as a hidraw node does: a line has one, a test, as the meter, the
/// other.
private final class ReportPair {
    /// The descriptor of the line, which closes it.
    let line: Int32
    private let meter: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
        (line, meter) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    }

    deinit { close(meter) }

    /// Sends a report to the line.
    func send(_ bytes: [UInt8]) throws { try #require(write(meter, bytes, bytes.count) == bytes.count) }

    /// Returns the reports that the line has sent, each with its number before it.
    func received() -> [[UInt8]] {
        var reports: [[UInt8]] = []
        var bytes = [UInt8](repeating: 0, count: 256)
        while case let count = read(meter, &bytes, bytes.count), count > 0 { reports.append(Array(bytes[..<count])) }
        return reports
    }
}

/// The numbers of the reports of an FNB58 that gave the rows of a step.
private func numbers(_ step: MeterFeed.Step) -> [Int64] {
    step.rows.runs.flatMap { run in (0..<run.count).map { run.row($0).last! } }
}

@Suite struct `A line to a USB HID` {
    private let clock = VirtualClock()
    private let pair: ReportPair

    init() throws { pair = try ReportPair() }

    /// A feed of `model`, which has been drained of what `unread` is, and has begun.
    private func begun(_ model: MeterModel, unread: [[UInt8]] = []) throws -> MeterFeed {
        var feed = MeterFeed(model, by: HIDLine(pair.line), now: { [clock] in clock.now })
        for report in unread { try pair.send(report) }
        for _ in 0...unread.count { #expect(try feed.next(waitingMilliseconds: 0).rows.runs.isEmpty) }
        #expect(pair.received().isEmpty, "nothing is requested before the line is empty")
        clock.advance(by: .milliseconds(100))
        #expect(try feed.next(waitingMilliseconds: 0).rows.runs.isEmpty)
        return feed
    }

    /// A command of FNIRSI's meters as it is written to a node: the number 0, and 64 bytes.
    private func command(_ kind: UInt8, _ check: UInt8) -> [UInt8] {
        [0, 0xAA, kind] + [UInt8](repeating: 0, count: 61) + [check]
    }

    @Test(arguments: [MeterModel.fnb58, .fnb48])
    func `begins with the commands of the model, once what was sent before is read, and keeps the meter sending`(
        model: MeterModel
    ) throws {
        var feed = try begun(model, unread: [reportOfFNB58(90), reportOfFNB58(91)])
        let third: [UInt8] = model == .fnb58 ? command(0x82, 0x96) : command(0x83, 0x9E)
        #expect(pair.received() == [command(0x81, 0x8E), command(0x82, 0x96), third, command(0x83, 0x9E)])
        let interval = model == .fnb58 ? 1_000 : 3
        for _ in 0..<3 {
            clock.advance(by: .milliseconds(interval - 1))
            _ = try feed.next(waitingMilliseconds: 0)
            #expect(pair.received().isEmpty)
            clock.advance(by: .milliseconds(1))
            _ = try feed.next(waitingMilliseconds: 0)
            #expect(pair.received() == [command(0x83, 0x9E)])
        }
    }

    @Test func `gives four rows for each report, one report a read, and says whether more are waiting`() throws {
        var feed = try begun(.fnb58)
        for number in 0..<4 { try pair.send(reportOfFNB58(number)) }
        let steps = try (0..<4).map { _ in try feed.next(waitingMilliseconds: 100) }
        // The first may be from before the request.
        #expect(steps.map(numbers) == [[], [1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3]])
        #expect(steps.map(\.reception.hasMore) == [true, true, true, false])
        #expect(steps.allSatisfy { !$0.reception.isNewConnection && $0.pieces.map(\.bytes.count) == [64] })
        #expect(try feed.next(waitingMilliseconds: 0).pieces.isEmpty)
    }

    @Test func `gives no row of a report that was cut, and all of those behind the next one`() throws {
        var feed = try begun(.fnb58)
        for number in 0..<2 { try pair.send(reportOfFNB58(number)) }
        try pair.send(Array(reportOfFNB58(2).prefix(31)))
        for number in 3..<8 { try pair.send(reportOfFNB58(number)) }
        let found = try (0..<8).flatMap { _ in numbers(try feed.next(waitingMilliseconds: 100)) }
        #expect(Set(found).isSubset(of: [1, 3, 4, 5, 6, 7]) && Set(found).isSuperset(of: [1, 4, 5, 6, 7]), "\(found)")
        #expect(found.count == 4 * Set(found).count)
    }

    @Test func `gives a reading of a KM003C for each request, whatever follows it in its report`() throws {
        var feed = try begun(.km003c)
        #expect(pair.received() == [[0, 0x02, 0, 0, 0], [0, 0x0C, 1, 0x02, 0]])
        for number in 0..<5 {
            let transaction = UInt8(number + 1)
            try pair.send(answerOfKM003C(number, transaction: transaction) + [UInt8](repeating: 0, count: 12))
            let step = try feed.next(waitingMilliseconds: 100)
            #expect(step.rows.runs.map(\.count) == [1])
            clock.advance(by: .milliseconds(200))
            _ = try feed.next(waitingMilliseconds: 0)
            #expect(pair.received() == [[0, 0x0C, transaction + 1, 0x02, 0]])
        }
        #expect(feed.refusedByteCount == 5 * 12)
    }

    @Test func `whose device is gone waits for it, and ends nothing`() throws {
        var pair: ReportPair? = try ReportPair()
        var feed = MeterFeed(.fnb58, by: HIDLine(try #require(pair).line), now: { [clock] in clock.now })
        #expect(try !feed.next(waitingMilliseconds: 0).isAway)
        pair = nil
        for _ in 0..<3 {
            let step = try feed.next(waitingMilliseconds: 1)
            #expect(step.isAway && !step.isAtEnd && step.pieces.isEmpty)
        }
    }
}

@Suite struct `A HID that comes back under another number` {
    private let fnb58 = USBIdentity(vendor: 0x2E3C, product: 0x5558)

    /// What a pseudo-terminal, as the node, gives the feed after 40 ms: a report.
    private func step(
        _ feed: inout MeterFeed, _ clock: VirtualClock, _ terminal: PseudoTerminal, _ number: Int
    ) throws -> MeterFeed.Step {
        clock.advance(by: .milliseconds(40))
        try terminal.send(reportOfFNB58(number))
        let end = Date.now + 30
        while Date.now < end {
            let step = try feed.next(waitingMilliseconds: 1_000)
            if !step.pieces.isEmpty { return step }
        }
        throw CocoaError(.fileReadUnknown)
    }

    @Test func `goes on as the same trace with one gap, and is begun anew`() async throws {
        let clock = VirtualClock()
        let temporary = try await TemporaryStore(Configuration.full(surroundings: .virtual(clock, seed: 1)))
        let store = temporary.store
        var terminal: PseudoTerminal? = try PseudoTerminal()
        let path = Mutex(try #require(terminal).path as String?)
        let line = try HIDLine(HIDAddress("hid:"), for: .fnb58) {
            [fnb58] in path.withLock { $0.map { [HIDNode(identity: fnb58, path: $0)] } ?? [] }
        }
        var feed = MeterFeed(.fnb58, by: line, now: { clock.now })
        let recorder = try await store.record(meter: simulatedMeter, model: .fnb58, over: .usb)
        var (moments, connections) = ([Int64](), 0)
        for connection in 0..<2 {
            _ = try feed.next(waitingMilliseconds: 0)
            clock.advance(by: .milliseconds(100))
            let begun = try feed.next(waitingMilliseconds: 0)
            #expect(begun.pieces.map(\.direction) == [.sent, .sent, .sent], "connection \(connection)")
            for number in 0..<26 {
                let step = try step(&feed, clock, try #require(terminal), 30 * connection + number)
                #expect(number == 0 || Set(numbers(step)) == [Int64(30 * connection + number)])
                if !step.rows.runs.isEmpty {
                    connections += step.reception.isNewConnection ? 1 : 0
                    moments.append(clock.now.monotonicMilliseconds)
                }
                try await recorder.append(step.rows, by: step.reception, of: step.pieces)
            }
            if connection == 1 { break }
            // The cable is pulled out: the node is gone, and another one comes.
            path.withLock { $0 = nil }
            terminal = nil
            for _ in 0..<5 {
                let step = try feed.next(waitingMilliseconds: 1)
                #expect(step.isAway && !step.isAtEnd)
                try await recorder.append(step.rows, by: step.reception)
                clock.advance(by: .milliseconds(400))
            }
            terminal = try PseudoTerminal()
            path.withLock { $0 = terminal?.path }
        }
        try await recorder.finish()
        #expect(connections == 1 && moments.count == 50)
        let summary = try store.summary(of: recorder.trace)
        #expect(try store.traces().count == 1 && summary.rowCount == 200 && summary.gapCount == 1)
        let gap = try #require(try store.gaps(of: recorder.trace).first)
        // Four rows in each 40 ms of the silence, but for those that came at its end.
        let missing = (moments[25] - moments[24]) / 10 - 4
        #expect(gap.row == 100 && gap.kind == .estimated && abs(Int64(gap.count) - missing) <= 4, "\(gap), \(missing)")
        #expect(missing > 200)
    }
}

@Suite struct `A USB HID` {
    private let folder: TemporaryFolder
    private var descriptions: String { folder.url.appending(path: "class").path }
    private var devices: String { folder.url.appending(path: "dev").path }

    init() throws {
        folder = try TemporaryFolder()
        for name in ["class", "dev"] {
            try FileManager.default.createDirectory(
                at: folder.url.appending(path: name), withIntermediateDirectories: true)
        }
    }

    private func nodes() -> [HIDNode] { HIDNode.all(describedIn: descriptions, in: devices) }

    /// Describes a node as Linux does.
    private func describe(_ name: String, _ id: String?) throws {
        let device = folder.url.appending(path: "class/\(name)/device")
        try FileManager.default.createDirectory(at: device, withIntermediateDirectories: true)
        let line = id.map { "HID_ID=\($0)\n" } ?? ""
        let text = "DRIVER=hid-generic\n\(line)HID_NAME=FNIRSI FNB58\nHID_UNIQ=\n"
        try Data(text.utf8).write(to: device.appending(path: "uevent"))
    }

    private func makeNode(_ name: String) throws -> String {
        let path = "\(devices)/\(name)"
        try Data().write(to: URL(filePath: path))
        return path
    }

    private func error(_ body: () throws -> Void) -> StoreError? { #expect(throws: StoreError.self) { try body() } }

    @Test func `is found by what the system says of its nodes, those of USB in order of their numbers`() throws {
        try describe("hidraw12", "0003:00002E3C:00005558")
        try describe("hidraw3", "0003:00005FC9:00000063")
        // Not a USB device; without an identity; numbers that are none; another class.
        try describe("hidraw4", "0005:00002E3C:00005558")
        try describe("hidraw5", nil)
        try describe("hidraw6", "0003:0002E3C0:00005558")
        try describe("hidraw7", "0003:USB")
        try describe("hiddev0", "0003:00002E3C:00005558")
        #expect(
            nodes().map { "\($0.identity) \($0.path)" } == [
                "5FC9:0063 \(devices)/hidraw3", "2E3C:5558 \(devices)/hidraw12",
            ])
        #expect(HIDNode.all(describedIn: "\(descriptions)/none", in: devices).isEmpty)
    }

    @Test func `has an address: that of the model, of its identity, or of its node`() throws {
        try describe("hidraw0", "0003:0000046D:0000C31C")
        try describe("hidraw1", "0003:00002E3C:00005558")
        func path(_ address: String, _ model: MeterModel = .fnb58) throws -> String? {
            try HIDAddress(address).path(of: model, among: nodes())
        }
        for address in ["hid:", "hid:2E3C:5558", "hid:2e3c:5558", "hid:\(devices)/hidraw1"] {
            #expect(try path(address) == "\(devices)/hidraw1", "\(address)")
        }
        #expect(try path("hid:046d:c31c") == "\(devices)/hidraw0" && path("hid:1:2") == nil && path("hid:", .c1) == nil)
        for text in [
            "hid:2E3C", "hid:2E3C:", "hid:2E3C:5558:1", "hid:12E3C:5558", "hid:+1:2", "hid:hidraw1", "usb:1:2",
        ] {
            #expect(error { _ = try HIDAddress(text) }?.code == .usage, "\(text)")
        }
        #expect(error { _ = try path("hid:", .um25c) }?.message == "The RDTech UM25C is not a USB HID.")
        try describe("hidraw2", "0003:00002E3C:00005558")
        for address in ["hid:", "hid:2E3C:5558"] {
            let several = error { _ = try path(address) }
            #expect(several?.code == .usage && several?.message.contains("\(devices)/hidraw2") == true)
            #expect(several?.hint == "For the first one: choose hid:\(devices)/hidraw1")
        }
    }

    @Test func `that is not there is refused with the meters that are`() throws {
        try describe("hidraw1", "0003:00002E3C:00000049")
        func open(_ address: String) -> StoreError? {
            error { _ = try HIDLine(HIDAddress(address), for: .fnb58, nodes: nodes) }
        }
        let refused = open("hid:")
        #expect(refused?.code == .notFound && refused?.message == "There is no FNIRSI FNB58 as a USB HID.")
        #expect(refused?.hint == "\(devices)/hidraw1 is a FNIRSI FNB48S: choose the model fnb48s")
        // The system describes it, and its node is not there yet.
        #expect(open("hid:2E3C:0049")?.message == "There is no USB HID 2E3C:0049.")
        #expect(open("hid:\(devices)/hidraw9")?.code == .notFound)
    }

    @Test func `belongs to one line at a time`() throws {
        try describe("hidraw1", "0003:00002E3C:00005558")
        let path = try makeNode("hidraw1")
        var first: HIDLine? = try HIDLine(HIDAddress("hid:"), for: .fnb58, nodes: nodes)
        #expect(first?.path == path)
        let busy = error { _ = try HIDLine(HIDAddress("hid:2E3C:5558"), for: .fnb58, nodes: nodes) }
        #expect(busy?.code == .busy && busy?.message == "Another program is using \(path).")
        withExtendedLifetime(first) {}
        first = nil
        _ = try HIDLine(HIDAddress("hid:"), for: .fnb58, nodes: nodes)
    }
}
#endif
