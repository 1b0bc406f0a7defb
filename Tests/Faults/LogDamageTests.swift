import EventLog
import Foundation
import GroundwaveTesting
import Testing

/// The log is the truth: damage to it puts the store into recovery, and is never a new store and never a crash.
@Suite(.serialized) struct `A damaged log` {
    enum Loss: String, CaseIterable, Sendable {
        case missing, empty, halved, cutInTheMetaPages, garbage, text, firstPageGone
    }

    @Test(arguments: Loss.allCases)
    func `is told, is kept byte for byte, and keeps nobody from logging`(loss: Loss) throws {
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
        for arguments in [["qso", "list"], ["export"], ["qso", "add", "N0CALL"], ["qso", "count"]] {
            let outcome = try Child(Program.path("groundwave"), arguments + ["--store", store.url.path]).wait()
            #expect(outcome.ended(0), "\(arguments): \(outcome.status) \(outcome.errors)")
            #expect(outcome.errors.contains("waiting for recovery"), "\(outcome.errors)")
        }
        for arguments in [["clear", "--confirm", "CLEAR"], ["sync"], ["replay"]] {
            #expect(
                try Child(Program.path("groundwave"), arguments + ["--store", store.url.path]).wait().ended(78),
                "\(arguments)")
        }
        #expect(try Program.groundwave("init", "--store", store.url.path).ended(73))
        let backups = store.url.appending(path: "EmergencyBackup")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: backups.path)) ?? []
        let kept = try names.map { try Data(contentsOf: backups.appending(path: "\($0)/log.mdb")) }
        #expect(kept == (before.map { [$0] } ?? []))
    }

    @Test(arguments: UInt64(1)...10)
    func `is never folded into views: a flipped bit is told with its position`(seed: UInt64) throws {
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
        #expect(outcome.ended(0), "\(outcome.status) \(outcome.errors)")
        #expect(outcome.errors.contains("waiting for recovery"), "\(outcome.errors)")
        #expect(outcome.errors.contains("position \(position) "), "\(outcome.errors)")
        let status = try Program.groundwave("recover", "status", "--json", "--store", store.url.path)
        #expect(String(decoding: status.data, as: UTF8.self).contains("\"waiting\""), "\(status.errors)")
    }

    @Test func `of which the key is missing goes on as a new replica`() throws {
        let store = try PreparedStore()
        try FileManager.default.removeItem(at: store.url.appending(path: "identity"))
        let outcome = try Program.groundwave("qso", "add", "N0CALL", "--store", store.url.path)
        #expect(outcome.ended(0), "\(outcome.errors)")
        #expect(outcome.errors.contains("new replica"), "\(outcome.errors)")
        #expect(try Program.groundwave("verify", "--store", store.url.path).ended(0))
    }
}
