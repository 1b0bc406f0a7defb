// The other process of the tests that flip bits: it makes a store, and says what the library answers to reads of it.
//
//   flip-reader make FOLDER
//   flip-reader log|views checked|unchecked FOLDER FLIPS FIRST
//
// FLIPS has a line "offset bit" for each flip; from line FIRST on each is put into a copy of the file by itself. The first
// line of the output is of the file as it was made, each other one of a flip: its number, then for each read `name=answer`,
// or `name=!` where that was an error. With `checked` the branches are looked at before the file is opened, as a store
// does; where they are damaged the line is `number refused`.

import Foundation
import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveMDBPages
import GroundwaveProjections
import GroundwaveRecords

@main
enum FlipReader {
    static func main() throws {
        let arguments = CommandLine.arguments
        if arguments.count == 3, arguments[1] == "make" { return try FlipStore.make(in: arguments[2]) }
        guard arguments.count == 6, let first = Int(arguments[5]) else { exit(64) }
        let store = try FlipStore(arguments[3])
        let isLog = arguments[1] == "log"
        let (intact, copy) = isLog ? (store.log, store.log + "-flipped") : (store.views, store.views + "-flipped")
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: intact)))
        let lines = try String(contentsOfFile: arguments[4], encoding: .utf8).split(separator: "\n")
        func answer(_ number: Int) throws {
            try? FileManager.default.removeItem(atPath: copy + "-lock")
            try Data(bytes).write(to: URL(filePath: copy))
            // Views without it are those of an earlier start of the machine.
            try? Data(contentsOf: URL(filePath: intact + ".boot")).write(to: URL(filePath: copy + ".boot"))
            let isRefused = try arguments[2] == "checked" && !PageCheck.branches(of: copy).isEmpty
            let answers = isRefused ? "refused" : isLog ? store.answers(ofLog: copy) : store.answers(ofViews: copy)
            try FileHandle.standardOutput.write(contentsOf: Data("\(number) \(answers)\n".utf8))
        }
        try answer(-1)
        for (number, line) in lines.enumerated().dropFirst(first) {
            let parts = line.split(separator: " ").compactMap { Int($0) }
            bytes[parts[0]] ^= 1 << UInt8(parts[1])
            try answer(number)
            bytes[parts[0]] ^= 1 << UInt8(parts[1])
        }
    }
}

/// Takes answers down, each as a checksum.
struct Answers {
    private(set) var text: [String] = []

    mutating func ask(_ name: String, _ read: () throws -> [String]) {
        do {
            let answer = try read().joined(separator: "\n")
            text.append("\(name)=\(CRC32C.checksum(Array(answer.utf8).span.bytes))")
        } catch {
            text.append("\(name)=!")
        }
    }
}

extension Array<UInt8> {
    var checksum: UInt32 { withSpan { CRC32C.checksum($0) } }
}
