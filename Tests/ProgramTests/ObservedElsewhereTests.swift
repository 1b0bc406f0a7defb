import Everything
import Foundation
import Groundwave
import GroundwaveLogbook
import GroundwaveRadio
import GroundwaveTesting
import Testing

@Suite struct `Contacts that another process writes` {
    private static func open(_ program: Program, isReadOnly: Bool) async throws -> Store {
        var configuration = Configuration.full()
        configuration.stateFolder = program.state
        configuration.isReadOnly = isReadOnly
        switch try await Store.open(at: program.store, configuration) {
        case .ready(let store): return store
        case .recovering(let recovery): return recovery.temporary
        }
    }

    /// One random command of the program.
    private static func act(_ program: Program, _ numbers: inout SeededGenerator) throws {
        let call = "N\(Int.random(in: 0...4, using: &numbers))CALL"
        let adding = ["qso", "add", call, "BAND=20m", "MODE=CW"]
        switch Int.random(in: 0..<8, using: &numbers) {
        case 0: _ = try program.run("qso", "edit", "last", "NAME=\(call)")
        case 1: _ = try program.run("qso", "remove", "last")
        case 2: _ = try program.run("undo")
        case 3: _ = try program.run("erase", "last", "--yes")
        case 4: _ = try program.run("record", "add", "friend", "CALL=\(call)")
        default: _ = try program.run(adding)
        }
    }

    @Test(.timeLimit(.minutes(3)), arguments: [false, true], UInt64(1)...2)
    func `are told to one that only reads, too, up to the last state`(isReadOnly: Bool, seed: UInt64) async throws {
        let program = try Program()
        let store = try await Self.open(program, isReadOnly: isReadOnly)
        let watching = Task {
            var told: [[Contact]] = []
            for try await contacts in store.values(of: .contacts) {
                told.append(contacts)
                if contacts.last?.call == "N9LAST" { break }
            }
            return told
        }
        var numbers = SeededGenerator(seed: seed)
        for _ in 0..<12 { try Self.act(program, &numbers) }
        try program.json("qso", "add", "N9LAST", "BAND=20m", "MODE=CW", "QSO_DATE=20991231", "TIME_ON=1200")
        let told = try await watching.value
        try store.close()
        let fresh = try await Self.open(program, isReadOnly: true)
        #expect(told.last == (try fresh.read { try $0.all(.contacts) }).map { Contact($0) })
        for (value, next) in zip(told, told.dropFirst()) { #expect(value != next) }
    }
}
