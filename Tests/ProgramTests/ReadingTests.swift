import Foundation
import Testing

/// Verbs that only read, and every file of the store before and after them.
@Suite struct `Reading leaves every file as it was` {
    /// What the views are when the verbs run.
    enum Views: String, CaseIterable, Sendable {
        case current, behind, missing
    }

    /// A store with contacts, an import, edits, a conflict-free history, a removal, duplicates and a snapshot.
    private static func program(_ views: Views) throws -> Program {
        let program = try Program()
        try program.json("qso", "add", "N0ONE", "BAND=20m", "MODE=CW", "QSO_DATE=20260501", "TIME_ON=120000")
        try program.json("qso", "add", "N0ONE", "BAND=20m", "MODE=CW", "QSO_DATE=20260501", "TIME_ON=120030")
        try program.json("qso", "add", "N0TWO", "BAND=40m", "MODE=CW")
        let log = program.folder.appending(path: "log.adi")
        try Data("<EOH><CALL:5>N0SIX<QSO_DATE:8>20260502<TIME_ON:4>1201<BAND:3>20m<MODE:2>CW<EOR>".utf8).write(to: log)
        try program.json("import", log.path)
        try program.json("snapshot", "create")
        let before = try Data(contentsOf: program.store.appending(path: "views.mdb"))
        try program.json("qso", "edit", "N0TWO", "NAME=Hiram")
        try program.json("qso", "remove", "N0SIX", "--yes")
        switch views {
        case .current: break
        case .behind: try before.write(to: program.store.appending(path: "views.mdb"))
        case .missing:
            for name in ["views.mdb", "views.mdb-lock"] {
                try FileManager.default.removeItem(at: program.store.appending(path: name))
            }
        }
        return program
    }

    /// The bytes of every file below the store's folder but the lock files.
    private static func files(of program: Program) throws -> [String: Data] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: program.store.path)
        var files: [String: Data] = [:]
        for path in paths where !path.hasSuffix("-lock") && !path.hasSuffix("-writer") {
            let url = program.store.appending(path: path)
            if try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true {
                files[path] = try Data(contentsOf: url)
            }
        }
        return files
    }

    /// The verbs, with the exit codes that are right for them here.
    private static let verbs: [(arguments: [String], statuses: Set<Int32>)] = [
        (["info"], [0]), (["verify"], [0]), (["verify", "--deep"], [0, 65]), (["digest"], [0]), (["stats"], [0]),
        (["snapshot", "list"], [0]), (["snapshot", "verify"], [0]), (["snapshot", "prune", "--dry-run"], [0]),
        (["export", "-o", "EXPORT"], [0]), (["qso", "list"], [0]), (["qso", "list", "--at", "@4"], [0]),
        (["qso", "show", "N0TWO"], [0]), (["qso", "count"], [0]), (["qso", "worked", "N0ONE"], [0, 1]),
        (["session", "list"], [0]), (["settings", "list"], [0]), (["settings", "export"], [0]),
        (["record", "list", "friend"], [0]), (["conflicts"], [0]), (["duplicates"], [0]), (["history"], [0]),
        (["history", "N0TWO"], [0]), (["blame", "N0TWO"], [0]), (["blame", "N0TWO", "--at", "after:@5"], [0]),
        (["diff", "@3", "now"], [1]), (["diff", "snapshot:last", "now"], [1]),
        (["whatif", "--without-import", "last"], [0]), (["whatif", "--without-event", "@4"], [0]),
        (["revert", "--import", "last", "--dry-run"], [0]), (["undo", "--dry-run"], [0]),
        (["erase", "--call", "N0TWO", "--dry-run"], [0]), (["prove", "N0TWO", "-o", "PROOF"], [0]),
        (["head", "show"], [0]),
        (["compare", "COPY"], [0]),
    ]

    @Test(arguments: Views.allCases)
    func `whatever the state of the views`(views: Views) throws {
        let program = try Self.program(views)
        try FileManager.default.copyItem(at: program.store, to: program.folder.appending(path: "copy"))
        var before = try Self.files(of: program)
        #expect(before.keys.contains("log.mdb") && before.keys.contains { $0.hasPrefix("snapshots/") })
        for verb in Self.verbs {
            let places = ["EXPORT": "out.adi", "PROOF": "proof.json", "COPY": "copy"]
            let arguments = verb.arguments.map { argument in
                places[argument].map { program.folder.appending(path: $0).path } ?? argument
            }
            let outcome = try program.run(arguments)
            #expect(verb.statuses.contains(outcome.status), "\(arguments): \(outcome.status) \(outcome.errors)")
            let after = try Self.files(of: program)
            for name in Set(before.keys).union(after.keys) where before[name] != after[name] {
                Issue.record("\(arguments) changed \(name)")
            }
            before = after
        }
        // The control: a verb that writes does change them.
        try program.json("qso", "edit", "N0TWO", "NAME=Percy")
        #expect(try Self.files(of: program) != before)
    }
}
