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
        case "store" where arguments.count == 4:
            var session = StoreSession(arguments[1], SeededGenerator(number(2)))
            await session.run(operations: Int(number(3)))
        case "more" where arguments.count == 4:
            var session = StoreSession(arguments[1], SeededGenerator(number(2)))
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
                case "recovery": try await RecoveryCheck(arguments[2], check.promises).run()
                default: try await check.store()
                }
                Witness.say(line: "a check")
            } catch {
                let stage = Check.stage.withLock { $0 }
                Witness.say(line: "x check (\(stage)) \("\(error)".replacing("\n", with: " "))")
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
        var (page, about, when) = (String?.none, "", "")
        var rest = arguments[...]
        while let word = rest.popFirst() {
            switch word {
            case "--long": run.settings.isLong = true
            case "--seed": run.settings.seed = rest.popFirst().flatMap { UInt64($0) } ?? 1
            case "--unit": run.settings.unit = rest.popFirst().flatMap { Int($0) }
            case "--folder": run.settings.folder = rest.popFirst() ?? ""
            case "--page": page = rest.popFirst()
            case "--about": about = rest.popFirst() ?? ""
            case "--when": when = rest.popFirst() ?? ""
            case let name where run.names.contains(name): run.only.insert(name)
            default:
                print("\(word) is no lane; there are \(run.names.joined(separator: ", "))")
                exit(64)
            }
        }
        let rows = try run.run()
        print(Table(rows).text)
        if let page {
            let former = (try? String(contentsOfFile: page, encoding: .utf8)) ?? ""
            let text = Page(
                rows: rows, names: run.names, settings: run.settings, about: about, when: when, former: former
            ).text
            try Data(text.utf8).write(to: URL(filePath: page))
        }
        let failed = rows.count { !$0.passed }
        print("\(rows.count - failed) passed, \(failed) failed")
        exit(failed == 0 ? 0 : 1)
    }
}
