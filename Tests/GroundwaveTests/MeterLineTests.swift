import Everything
import Foundation
import GroundwaveMetering
import GroundwaveTesting
import Synchronization
import Testing

@testable import GroundwaveMeters

/// A pseudo-terminal, of which a line has one end and a test, as the meter, the other.
final class PseudoTerminal {
    /// What stands for the serial device.
    let path: String
    private let descriptor: Int32
    private let device: Int32

    init() throws {
        var (descriptor, device) = (Int32(-1), Int32(-1))
        try #require(openpty(&descriptor, &device, nil, nil, nil) == 0)
        (self.descriptor, self.device) = (descriptor, device)
        path = String(cString: try #require(ttyname(device)))
        var settings = termios()
        tcgetattr(device, &settings)
        cfmakeraw(&settings)
        tcsetattr(device, TCSANOW, &settings)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    deinit {
        close(descriptor)
        close(device)
    }

    /// Sends these bytes to the line.
    func send(_ bytes: [UInt8]) throws { try #require(write(descriptor, bytes, bytes.count) == bytes.count) }

    /// Returns what the line has sent.
    func received() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        return Array(bytes[..<max(0, read(descriptor, &bytes, bytes.count))])
    }
}

@Suite struct `A line to a meter` {
    @Test func `that is a named pipe ends when its writer has gone, and not before one has come`() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "meter").path
        try #require(mkfifo(path, 0o600) == 0)
        let line = try MeterLine(path)
        #expect(!line.isFile && !line.canSend)
        #expect(try line.read(waitingMilliseconds: 10) == .nothing)
        let writer = open(path, O_WRONLY | O_NONBLOCK)
        try #require(writer >= 0 && write(writer, [1, 2, 3] as [UInt8], 3) == 3)
        #expect(try line.read(waitingMilliseconds: 1_000) == .bytes([1, 2, 3]))
        #expect(try line.read(waitingMilliseconds: 10) == .nothing)
        close(writer)
        #expect(try line.read(waitingMilliseconds: 1_000) == .end)
    }

    @Test func `that is a device or a named pipe is refused to a second one as busy, until the first has gone`() throws
    {
        let folder = try TemporaryFolder()
        let pipe = folder.url.appending(path: "meter").path
        try #require(mkfifo(pipe, 0o600) == 0)
        let terminal = try PseudoTerminal()
        for path in [pipe, terminal.path] {
            var first: MeterLine? = try MeterLine(path, baud: 9_600)
            #expect(first?.canSend == (path == terminal.path))
            let error = #expect(throws: StoreError.self) { try MeterLine(path) }
            #expect(error?.code == .busy && error?.message.contains(path) == true && error?.hint != nil)
            withExtendedLifetime(first) {}
            first = nil
            _ = try MeterLine(path)
        }
    }

    @Test func `that is a file may be read by several, and sends nothing`() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "capture").path
        try Data([1, 2, 3]).write(to: URL(filePath: path))
        let lines = try [MeterLine(path), MeterLine(path)]
        for line in lines {
            #expect(line.isFile && !line.canSend)
            try line.send([0xF0])
            #expect(try line.read(waitingMilliseconds: 0) == .bytes([1, 2, 3]))
            #expect(try line.read(waitingMilliseconds: 0) == .end)
        }
    }

    @Test func `forgets what a device sent before it was opened, and gives none of what was under way as rows`() throws
    {
        let terminal = try PseudoTerminal()
        try terminal.send(simulatedFrame(9_999))
        var feed = MeterFeed(.um25c, over: .bluetooth, by: try MeterLine(terminal.path))
        var (rows, asked, answered, isSent) = ([Int64](), 0, 0, false)
        // Another one comes 20 ms later, and the beginning of a third.
        let late = simulatedFrame(9_998) + simulatedFrame(9_997).prefix(60)
        let end = Date.now + 30
        while rows.count < 3, Date.now < end {
            let step = try feed.next(waitingMilliseconds: 20)
            for run in step.rows.runs { rows += (0..<run.count).map { run.row($0)[run.row($0).startIndex + 10] } }
            if !isSent {
                #expect(terminal.received().isEmpty, "nothing is requested before the line is empty")
                try terminal.send(late)
                isSent = true
            }
            asked += terminal.received().count { $0 == 0xF0 }
            while answered < asked {
                try terminal.send(simulatedFrame(answered))
                answered += 1
            }
        }
        // The system may have kept the first from being discarded; then it was read, and is stale.
        #expect(rows == [0, 1, 2] && [late.count, late.count + 130].contains(feed.refusedByteCount))
    }

    @Test func `without a meter behind it is read as a file is, whatever the numbers of its frames`() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "meter").path
        try #require(mkfifo(path, 0o600) == 0)
        var feed = MeterFeed(.um25c, over: .bluetooth, by: try MeterLine(path))
        #expect(try feed.next(waitingMilliseconds: 1).pieces.isEmpty)
        let writer = try #require(FileHandle(forWritingAtPath: path))
        try writer.write(contentsOf: simulatedFrame(0) + simulatedFrame(1))
        let step = try feed.next()
        #expect(step.rows.runs.first?.count == 2 && step.pieces.map(\.direction) == [.received])
    }
}

@Suite struct `A silence of a meter` {
    private func step(_ model: MeterModel, _ bytes: [UInt8]) -> MeterFeed.Step {
        var (decoder, step) = (model.makeDecoder(), MeterFeed.Step())
        decoder.consume(bytes.span.bytes, into: &step.rows)
        if !bytes.isEmpty { step.pieces = [CapturedBytes(.received, at: 0, bytes)] }
        return step
    }

    @Test func `is told once, three seconds after the last row`() {
        var watch = SilenceWatch(.um25c, at: 1_000)
        let (nothing, row) = (step(.um25c, []), step(.um25c, simulatedFrame(1)))
        #expect(watch.next(nothing, at: 3_999) == nil)
        #expect(watch.next(nothing, at: 4_000) == .init(byteCount: 0, models: []))
        #expect(watch.next(nothing, at: 9_000) == nil && watch.count == 1)
        #expect(watch.next(row, at: 10_000) == nil)
        #expect(watch.next(nothing, at: 12_999) == nil)
        #expect(watch.next(nothing, at: 13_000) != nil && watch.count == 2)
    }

    @Test func `with the frames of another model names it`() {
        var watch = SilenceWatch(.um34c, at: 0)
        for second in Int64(0)..<3 { #expect(watch.next(step(.um34c, simulatedFrame(1)), at: 1_000 * second) == nil) }
        #expect(watch.next(step(.um34c, []), at: 3_000) == .init(byteCount: 390, models: [.um25c]))
    }
}
