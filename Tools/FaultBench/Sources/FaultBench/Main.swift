import Foundation

/// The sessions and checks that the lanes run as processes, and the lanes. Tools/faults runs this.
@main
struct FaultBench {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        func number(_ place: Int) -> UInt64 { arguments.count > place ? UInt64(arguments[place]) ?? 0 : 0 }
        switch arguments.first {
        case "lean" where arguments.count == 5:
            guard let sort = LeanSession.Sort(rawValue: arguments[4]) else { exit(64) }
            var session = LeanSession(folder: arguments[1], sort: sort, generator: SeededGenerator(number(2)))
            session.run(batches: Int(number(3)))
        case "store", "fleet", "first", "second":
            guard arguments.count == 4, let habits = StoreSession.Habits(rawValue: arguments[0]) else { exit(64) }
            var session = StoreSession(arguments[1], SeededGenerator(number(2)), habits)
            await session.run(operations: Int(number(3)))
        case "more" where arguments.count == 4:
            var session = StoreSession(arguments[1], SeededGenerator(number(2)), .appending)
            await session.runMore(operations: Int(number(3)))
        case "trace" where arguments.count == 4:
            var session = TraceSession(arguments[1], SeededGenerator(number(2)))
            await session.run(arrivals: Int(number(3)))
        case "peer" where arguments.count == 2: await PeerSession(arguments[1]).begin()
        case "meet" where arguments.count == 2: await PeerSession(arguments[1]).meet()
        case "read" where arguments.count == 2: await ReadSession.run(arguments[1])
        case "recover" where arguments.count == 3:
            var session = RecoverySession(arguments[1], SeededGenerator(number(2)))
            await session.run()
        case "check" where arguments.count == 3:
            let check = try Check(arguments[2])
            do {
                switch arguments[1] {
                case "lean": try check.lean()
                case "unread": try check.unread()
                case "trace": try await TraceCheck(arguments[2]).run()
                case "fleet":
                    try await check.store()
                    Check.stage.withLock { $0 = "meeting" }
                    try await StoreSession.meet(in: arguments[2])
                case "recovery": try await RecoveryCheck(arguments[2], check.promises).run()
                default: try await check.store()
                }
                Witness.write(line: "a check")
            } catch {
                let stage = Check.stage.withLock { $0 }
                Witness.write(line: "x check (\(stage)) \("\(error)".replacing("\n", with: " "))")
            }
        case "look" where arguments.count == 2: await Check.look(at: arguments[1])
        case "run": try run(Array(arguments.dropFirst()))
        default:
            print("usage: FaultBench lean|store|check|read|… (see Tools/faults)")
            exit(64)
        }
    }
    private static func run(_ arguments: [String]) throws {
        var run = Run()
        var (page, about, date, commit) = (String?.none, "", "", "")
        var rest = arguments[...]
        while let word = rest.popFirst() {
            switch word {
            case "--long": run.settings.isLong = true
            case "--seed": run.settings.seed = rest.popFirst().flatMap { UInt64($0) } ?? 1
            case "--unit": run.settings.unit = rest.popFirst().flatMap { Int($0) }
            case "--third": run.settings.third = rest.popFirst().flatMap { Int($0) }.map { $0 % 3 }
            case "--folder": run.settings.folder = rest.popFirst() ?? ""
            case "--page": page = rest.popFirst()
            case "--about": about = rest.popFirst() ?? ""
            case "--date": date = rest.popFirst() ?? ""
            case "--commit": commit = rest.popFirst() ?? ""
            case let name where run.names.contains(name): run.only.insert(name)
            default:
                print("\(word) is no lane; there are \(run.names.joined(separator: ", "))")
                exit(64)
            }
        }
        let rows = try run.run()
        print(Table(rows).text)
        // Once more what failed: of a long log people see the end.
        for row in rows where !row.passed {
            for trouble in row.sums.troubles.prefix(6) { print("\(row.name): \(trouble.prefix(500))") }
        }
        if let page {
            let former = (try? String(contentsOfFile: page, encoding: .utf8)) ?? ""
            let text = Page(
                rows: rows, lanes: run.unrun, settings: run.settings, about: about, date: date, commit: commit,
                former: former
            ).text
            try Data(text.utf8).write(to: URL(filePath: page))
        }
        let passed = rows.count(where: \.passed)
        let skipped = rows.count { $0.skipped != nil }
        let failed = rows.count - passed - skipped
        print("\(passed) passed, \(failed) failed" + (skipped > 0 ? ", \(skipped) not run" : ""))
        // In CI every lane must run: a lane that did not run has shown nothing.
        let mustAllRun = ProcessInfo.processInfo.environment["CI"] == "true"
        exit(failed > 0 || mustAllRun && skipped > 0 ? 1 : 0)
    }
}
