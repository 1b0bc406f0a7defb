import Foundation

/// Does one measurement and prints one line: the name of the measurement, a colon, the figure, the rest.
///
/// Tools/bench runs these and the yardsticks alternately and compares medians.
@main
struct Bench {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        func number(_ place: Int) -> Int { Int(arguments[place]) ?? 0 }
        switch arguments.first {
        case "append": try LogBench.append(arguments[1], events: number(2), batch: number(3))
        case "scan": try LogBench.scan(arguments[1], rounds: number(2))
        case "hash": try LogBench.hash(arguments[1])
        case "verify": try LogBench.verify(arguments[1])
        case "preflight": try LogBench.preflight(arguments[1])
        case "salvage": try LogBench.salvage(arguments[1])
        case "generate": try ReplayBench.generate(arguments[1], events: number(2), records: number(3))
        case "rebuild": try ReplayBench.rebuild(arguments[1])
        case "projection":
            try ReplayBench.projection(arguments[1], events: number(2), records: number(3), rounds: number(4))
        case "catchup": try ReplayBench.catchUp(arguments[1], events: number(2), records: number(3))
        case "parse": try ADIFBench.parse(arguments[1])
        case "log": try ADIFBench.generateLog(arguments[1], contacts: number(2))
        case "observe-build": try await ObserveBench.build(arguments[1], contacts: number(2))
        case "observe-actor": try await ObserveBench.edit(arguments[1], edits: number(2), asksForActor: true)
        case "observe-value": try await ObserveBench.edit(arguments[1], edits: number(2), asksForActor: false)
        case "open": try await ObserveBench.open(arguments[1], rounds: number(2))
        case "count": try await ObserveBench.count(arguments[1], rounds: number(2))
        case "past-build":
            try await TimeTravelBench.build(arguments[1], events: number(2), batch: number(3), steps: number(4))
        case "past-whole": try await TimeTravelBench.whole(arguments[1], points: number(2))
        case "past-record": try await TimeTravelBench.record(arguments[1], rounds: number(2))
        case "past-difference": try await TimeTravelBench.difference(arguments[1], rounds: number(2))
        case "past-steps": try await TimeTravelBench.steps(arguments[1], points: number(2))
        case "past-snapshot": try await TimeTravelBench.snapshot(arguments[1], log: arguments[2])
        case "past-bytes": try await TimeTravelBench.bytes(arguments[1], folder: arguments[2])
        case "sync-build": try await SyncBench.build(arguments[1], events: number(2))
        case "sync-edit": try await SyncBench.edit(arguments[1], program: arguments[2], edits: number(3))
        case "sync-watch": try await SyncBench.watch(arguments[1], program: arguments[2], edits: number(3))
        case "sync-many": try await SyncBench.many(arguments[1], program: arguments[2], events: number(3))
        case "seal-transfer":
            try await SealBench.transfer(arguments[1], events: number(2), isSealed: arguments[3] == "sealed")
        case "seal-keys": try SealBench.keys(devices: number(1))
        case "seal-roster": try await SealBench.roster(arguments[1], devices: number(2))
        case "meter-size":
            try await TraceBench.size(arguments[1], of: arguments[2], once: arguments.dropFirst(3).first == "once")
        case "meter-codec": try TraceBench.codec(arguments[1], rows: number(2))
        case "meter-record": try await MeterBench.record(arguments[1], seconds: number(2))
        case "meter-build": try await MeterBench.build(arguments[1], rows: number(2))
        case "meter-plot": try await MeterBench.plot(arguments[1], columns: number(2), of: arguments[3])
        case "meter-stretch": try await MeterBench.stretch(arguments[1], rounds: number(2))
        case "meter-connect": try await MeterBench.connect(arguments[1], rounds: number(2))
        default:
            print(
                "usage: Bench append|scan|hash|verify|generate|rebuild|projection|catchup|parse|log|open|count|observe-…|past-…|sync-…|seal-…|meter-… (see Tools/bench)"
            )
            exit(64)
        }
    }
}

/// Returns the number of seconds that `body` takes.
func seconds(_ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    let elapsed = ContinuousClock.now - start
    return Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
}

/// Returns a pseudorandom number that depends only on `value` (splitmix64).
func mixed(_ value: UInt64) -> UInt64 {
    var x = value &+ 0x9E37_79B9_7F4A_7C15
    x = (x ^ (x >> 30)) &* 0xBF58_476D_1CE4_E5B9
    x = (x ^ (x >> 27)) &* 0x94D0_49BB_1331_11EB
    return x ^ (x >> 31)
}

/// A generator that gives the same numbers in every run.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 1
        return mixed(state)
    }
}
