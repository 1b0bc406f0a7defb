import Foundation
import GroundwaveTesting
import SimulatedMeters
import Testing

@Suite(.serialized, .enabled(if: SmallDisk.isAllowed, "Mounting a file system in memory takes root on Linux"))
struct `A disk that is full while a meter is recorded` {
    private func start(in store: URL) throws -> Child {
        try Child(
            Program.path("groundwave"),
            [
                "trace", "record", "--meter", "02:00:00:00:00:01", "--model", "um25c", "--input", "-", "--rate", "10",
                "--store", store.path,
            ], isFed: true)
    }

    /// The numbers that the rows of the one trace say.
    private func numbers(in store: URL) throws -> [Int] {
        let exported = try Program.groundwave("trace", "export", "--channels", "group0.charge", "--store", store.path)
        guard exported.ended(0) else { return [] }
        let lines = exported.output.split(whereSeparator: \.isNewline).map {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        let column = try #require(lines[0].firstIndex(of: "group0.charge_Ah"))
        return try lines.dropFirst().map { Int((try #require(Double($0[column])) * 1000).rounded()) }
    }

    @Test func `stops the recording with a sentence, and all before it can be read`() throws {
        let disk = try SmallDisk(megabytes: 3)
        let store = disk.url.appending(path: "store")
        #expect(try Program.groundwave("init", "--store", store.path).ended(0))
        let child = try start(in: store)
        for number in 0..<500 { child.feed(answerOfUM25C(number)) }
        // What was on the disk before it was full: another process reads the rows of the running trace from there.
        let deadline = Date.now + 60
        while try numbers(in: store).count != 500, Date.now < deadline { usleep(50_000) }
        #expect(try numbers(in: store) == Array(0..<500))
        disk.fill("ballast")
        for number in 500..<5_000 where child.isRunning {
            child.feed(answerOfUM25C(number))
            usleep(1000)
        }
        try child.endInput()
        let outcome = child.wait()
        #expect(outcome.ended(74), "\(outcome.status) \(outcome.errors)")
        #expect(outcome.errors.contains("full"), "\(outcome.errors)")
        #expect(outcome.errors.contains("trace "), "it says where the rows are: \(outcome.errors)")

        try FileManager.default.removeItem(at: disk.url.appending(path: "ballast"))
        try disk.resize(megabytes: 40)
        // Whoever writes next takes what the disk had no room for into the log.
        #expect(try Program.groundwave("trace", "set", "last", "--name", "full", "--store", store.path).ended(0))
        let read = try numbers(in: store)
        #expect(read.count >= 500 && read == Array(0..<read.count), "\(read.count)")
        let shown = try Program.groundwave("trace", "show", "--json", "--store", store.path)
        let trace = try #require(try JSONSerialization.jsonObject(with: shown.data) as? [String: Any])
        #expect(["stopped", "interrupted"].contains(trace["state"] as? String), "\(trace["state"] ?? "")")
        #expect(trace["inTail"] as? Int == 0)
        _ = try Inspection.log(of: store)
    }
}
