import Foundation
import GroundwaveSeededNumbers
import Testing

/// Bits of the files of a small store are flipped, one at a time, and everything that the library reads is read: each
/// answer is what it was, or an error. It is never another one, and never a shorter one.
///
/// `GROUNDWAVE_FLIPS` says how many bits of each file are flipped, `GROUNDWAVE_FLIPS_SEED` which; with
/// `GROUNDWAVE_FLIPS_UNCHECKED=1` the branches are not looked at before.
@Suite struct `Flipping bits of a store` {
    static let count = ProcessInfo.processInfo.environment["GROUNDWAVE_FLIPS"].flatMap { Int($0) } ?? 120
    static let seed = ProcessInfo.processInfo.environment["GROUNDWAVE_FLIPS_SEED"].flatMap { UInt64($0) } ?? 1

    @Test(arguments: ["log", "views"])
    func `no read says anything else than before`(file: String) throws {
        let store = try FlippedStore()
        var numbers = SeededGenerator(seed: Self.seed)
        let flips = try store.flips(Self.count, of: file, using: &numbers)
        let found = try store.read(file, flips)
        for (flip, names) in found.silent {
            Issue.record("\(file).mdb, byte \(flip.offset), bit \(flip.bit): other answers to \(names)")
        }
        // Bits that mean nothing are some of them, and not most.
        #expect(found.refused + found.seen > flips.count / 4)
        print(
            "\(file).mdb: of \(flips.count) flips \(found.refused) were seen at once, \(found.seen) by reads, \(found.crashes) ended the process, \(found.silent.count) were silent"
        )
    }
}

/// A store with something in each table, and the program that reads it.
private final class FlippedStore {
    struct Flip {
        let offset: Int
        let bit: Int
    }

    struct Found {
        /// Flips for which the file was not opened.
        var refused = 0
        /// Flips that gave errors.
        var seen = 0
        /// Flips that ended the process.
        var crashes = 0
        /// Flips that gave other answers, and to what.
        var silent: [(flip: Flip, names: [String])] = []
    }

    private let folder: String

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "groundwave-flips-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        _ = try Self.run(["make", folder])
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Bits anywhere, a third of them where pages say what they hold.
    func flips(_ count: Int, of file: String, using numbers: inout SeededGenerator) throws -> [Flip] {
        let size = try Data(contentsOf: URL(filePath: "\(folder)/\(file).mdb")).count
        return (0..<count).map { number in
            let page = Int.random(in: 0..<size / 4096, using: &numbers)
            let offset =
                switch number % 6 {
                case 0: Int.random(in: 0..<24, using: &numbers) + 4096 * page
                case 1: Int.random(in: 16..<120, using: &numbers) + 4096 * page
                default: Int.random(in: 0..<size, using: &numbers)
                }
            return Flip(offset: offset, bit: Int.random(in: 0..<8, using: &numbers))
        }
    }

    /// Has everything read with each of `flips` in turn.
    func read(_ file: String, _ flips: [Flip]) throws -> Found {
        let list = folder + "/flips"
        try flips.map { "\($0.offset) \($0.bit)\n" }.joined().write(toFile: list, atomically: true, encoding: .utf8)
        let mode = ProcessInfo.processInfo.environment["GROUNDWAVE_FLIPS_UNCHECKED"] == nil ? "checked" : "unchecked"
        var found = Found()
        var truth: [Substring] = []
        var next = 0
        while next < flips.count {
            let (text, isWhole) = try Self.run([file, mode, folder, list, "\(next)"])
            for line in text.split(separator: "\n") {
                let parts = line.split(separator: " ", maxSplits: 1)
                guard parts.count == 2, let number = Int(parts[0]) else { continue }
                let answers = parts[1].split(separator: "\t")
                if number < 0 {
                    truth = answers
                    try #require(!truth.contains { $0.hasSuffix("=!") }, "the store is sound: \(truth)")
                } else {
                    next = number + 1
                    note(flips[number], answers, truth, &found)
                }
            }
            if isWhole { break }
            found.crashes += 1
            next += 1
        }
        return found
    }

    private func note(_ flip: Flip, _ answers: [Substring], _ truth: [Substring], _ found: inout Found) {
        if answers == ["refused"] {
            found.refused += 1
            return
        }
        let others = Set(answers).subtracting(truth)
        let silent = others.filter { !$0.hasSuffix("=!") }.map { String($0.prefix { $0 != "=" }) }.sorted()
        if !silent.isEmpty { found.silent.append((flip, silent)) } else if !others.isEmpty { found.seen += 1 }
    }

    /// What flip-reader prints, and whether it came to its end.
    private static func run(_ arguments: [String]) throws -> (text: String, isWhole: Bool) {
        let (process, output) = (Process(), Pipe())
        process.executableURL = executable
        process.arguments = arguments
        // Crashes are counted, and nobody reads why.
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        if process.terminationReason == .exit { try #require(process.terminationStatus == 0, "\(arguments): \(text)") }
        return (text, process.terminationReason == .exit)
    }

    /// The program lies beside the program or the bundle that holds these tests.
    private static var executable: URL {
        #if os(Linux)
        let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        #else
        let tests = Bundle(for: FlippedStore.self).bundleURL
        #endif
        return tests.deletingLastPathComponent().appendingPathComponent("flip-reader")
    }
}
