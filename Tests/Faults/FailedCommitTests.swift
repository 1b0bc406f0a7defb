import Foundation
import GroundwaveTesting
import Testing

/// The disk reports an error in the middle of a commit: strace makes a system call of the writer fail.
@Suite(.serialized, .enabled(if: Strace.isAvailable, "strace is not installed, or may not trace"))
struct `A failed commit` {
    /// The calls that make up a commit: pages, flush, meta page. strace counts them by thread, and the views make
    /// some too, so the number says about which write it is.
    @Test(arguments: ["fdatasync", "pwrite64"], [1, 2, 3, 5])
    func `is refused, and every write that was acknowledged is there`(call: String, number: Int) throws {
        let outcome = try run("inject=\(call):error=EIO:when=\(number)")
        #expect(outcome.lines.count == Self.count)
        if let first = outcome.lines.firstIndex(where: { $0.hasPrefix("refused") }) {
            #expect(outcome.lines[first...].contains { $0.hasPrefix("saved") }, "the store is checked, and goes on")
        }
        try check(outcome)
    }

    @Test(arguments: ["fdatasync", "pwrite64"])
    func `after another acknowledges nothing`(call: String) throws {
        let outcome = try run("inject=\(call):error=EIO:when=1+")
        #expect(outcome.lines == (1...Self.count).map { "refused \($0) 74" })
        try check(outcome)
        #expect(try Program.fault("1", in: outcome.store).ended(0), "and with a disk that works again all is well")
    }

    @Test(arguments: 1...12)
    func `that was cut by a kill at any write is there whole or not at all`(number: Int) throws {
        let outcome = try run("inject=pwrite64,fdatasync,writev:signal=KILL:when=\(number)")
        try check(outcome)
    }

    private static let count = 30

    private struct Outcome {
        let folder: TemporaryFolder
        let store: URL
        let lines: [String]
    }

    /// Has the fault writer save contacts while strace meddles.
    private func run(_ injection: String) throws -> Outcome {
        let folder = try TemporaryFolder()
        let store = folder.url.appending(path: "store")
        #expect(try Program.groundwave("init", "--store", store.path).ended(0))
        let child = try Child(
            Program.installed("strace") ?? "strace",
            ["-f", "-o", "/dev/null", "-e", "trace=fdatasync,pwrite64,writev", "-e", injection]
                + [Program.path("fault-writer"), store.path, "\(Self.count)", "fault"])
        return Outcome(
            folder: folder, store: store, lines: child.wait().output.split(separator: "\n").map(String.init))
    }

    /// The log is whole, and holds what was acknowledged once, and nothing that was not tried.
    private func check(_ outcome: Outcome) throws {
        _ = try Inspection.log(of: outcome.store)
        let records = try Inspection.exported(outcome.store)
        for number in 1...Self.count {
            let comment = Data(">fault \(number)\n".utf8)
            let count = records.count { $0.range(of: comment) != nil }
            #expect(count <= 1, "\(number) is there \(count) times")
            if outcome.lines.contains("saved \(number)") { #expect(count == 1, "\(number) was acknowledged") }
        }
    }
}

@Suite(.enabled(if: Strace.isAvailable, "strace is not installed, or may not trace"))
struct `A write` {
    @Test func `waits for one flush, but for the first ones of a process`() throws {
        let folder = try TemporaryFolder()
        let store = folder.url.appending(path: "store")
        #expect(try Program.groundwave("init", "--store", store.path).ended(0))
        let trace = folder.url.appending(path: "trace")
        let child = try Child(
            Program.installed("strace") ?? "strace",
            ["-f", "-y", "-o", trace.path, "-e", "trace=fdatasync,pwrite64", Program.path("fault-writer")]
                + [store.path, "100", "x"])
        #expect(child.wait().ended(0))
        // LMDB flushes pages through one descriptor, and writes the meta page through that one or through another, which
        // waits for the disk.
        let lines = try String(contentsOf: trace, encoding: .utf8).split(separator: "\n")
        let calls = lines.filter { $0.contains("/log.mdb>") }.map { $0.drop { $0.isNumber || $0 == " " } }
        let flushed = calls.filter { $0.hasPrefix("fdatasync(") }
        let descriptor = try #require(flushed.first?.dropFirst("fdatasync(".count).prefix { $0 != "<" })
        let waited = calls.count { $0.hasPrefix("pwrite64(") && !$0.hasPrefix("pwrite64(\(descriptor)<") }
        #expect((100...110).contains(flushed.count + waited), "\(flushed.count) and \(waited)")
    }
}

enum Strace {
    /// Whether strace is here and may trace a process of ours.
    static let isAvailable: Bool = {
        guard let strace = Program.installed("strace") else { return false }
        return (try? Child(strace, ["-f", "-o", "/dev/null", "true"]).wait().ended(0)) ?? false
    }()
}
