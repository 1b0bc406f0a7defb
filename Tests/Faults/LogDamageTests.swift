import EventLog
import Foundation
import GroundwaveTesting
import Testing

/// The log is the truth: damage to it is an error that names the file, never a new store and never a crash.
@Suite(.serialized) struct `A damaged log` {
    enum Loss: String, CaseIterable, Sendable {
        case missing, empty, halved, cutInTheMetaPages, garbage, text, firstPageGone
    }

    @Test(arguments: Loss.allCases)
    func `is an error that names it, and nothing is written`(loss: Loss) throws {
        let store = try PreparedStore()
        var data = try Data(contentsOf: store.log)
        var generator = SeededGenerator(seed: 3)
        switch loss {
        case .missing: try FileManager.default.removeItem(at: store.log)
        case .empty: try Data().write(to: store.log)
        case .halved: try data.prefix(data.count / 2).write(to: store.log)
        case .cutInTheMetaPages: try data.prefix(5000).write(to: store.log)
        case .garbage:
            try Data((0..<data.count).map { _ in UInt8.random(in: 0...255, using: &generator) }).write(to: store.log)
        case .text: try Data("This is no log.\n".utf8).write(to: store.log)
        case .firstPageGone:
            data.replaceSubrange(0..<4096, with: Data(count: 4096))
            try data.write(to: store.log)
        }
        let before = try? Data(contentsOf: store.log)
        for arguments in [["qso", "list"], ["export"], ["import", "-"], ["qso", "add", "N0CALL"]] {
            let outcome = try Child(
                Program.path("groundwave"), arguments + ["--store", store.url.path], input: "<EOH>\n"
            ).wait()
            #expect(outcome.ended(65), "\(arguments): \(outcome.status) \(outcome.errors)")
            #expect(outcome.errors.contains("log.mdb"), "\(outcome.errors)")
        }
        #expect(try Program.groundwave("init", "--store", store.url.path).ended(73))
        #expect((try? Data(contentsOf: store.log)) == before)
    }

    @Test(arguments: UInt64(1)...10)
    func `is never folded into views: a flipped bit is an error that names the position`(seed: UInt64) throws {
        let store = try PreparedStore()
        var generator = SeededGenerator(seed: seed)
        var pages = try LeafPages(store.log)
        // Events are keyed by their positions, eight bytes, and start with the letters of a frame.
        let position = UInt64.random(in: 2...290, using: &generator)
        let key = (0..<8).map { UInt8(truncatingIfNeeded: position >> (56 - 8 * UInt64($0))) }
        let frame = try #require(pages.entries.first { Array(pages.bytes[$0.key]) == key && $0.value.count > 60 })
        // Behind the header, where a parser sees nothing wrong.
        let byte = Int.random(in: 60..<frame.value.count, using: &generator)
        try pages.flip(\.value, of: key, byte: byte, bit: Int.random(in: 0..<8, using: &generator))
        try FileManager.default.removeItem(at: store.views)
        let outcome = try Program.groundwave("export", "--store", store.url.path)
        #expect(outcome.ended(65), "\(outcome.status) \(outcome.errors)")
        #expect(outcome.errors.contains("position \(position) "), "\(outcome.errors)")
        #expect(outcome.data.isEmpty)
    }

    @Test func `of which the key is missing can be read, and is not written to`() throws {
        let store = try PreparedStore()
        try FileManager.default.removeItem(at: store.url.appending(path: "identity"))
        let log = try Data(contentsOf: store.log)
        let outcome = try Program.groundwave("qso", "add", "N0CALL", "--store", store.url.path)
        #expect(outcome.ended(65), "\(outcome.errors)")
        #expect(outcome.errors.contains("identity"))
        #expect(try Data(contentsOf: store.log) == log)
    }
}
