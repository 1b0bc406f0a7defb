import ArgumentParser
import Groundwave
import GroundwaveMeters
import GroundwaveWording

struct TraceDecode: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract: "Create a new trace from the bytes that groundwave trace record --raw has kept.",
        discussion: """
              groundwave trace decode last --name "as version 2 reads it"

            The decoder of this version reads the bytes that the meter sent then. The old trace is not changed.
            """)

    @Argument(help: ArgumentHelp("The trace.", valueName: "id"))
    var trace = "last"

    @Option(help: ArgumentHelp("The name of the new trace.", valueName: "text"))
    var name = ""

    @OptionGroup var options: StoreOptions
    @OptionGroup var words: WriteOptions

    struct Result: Encodable {
        var trace: String
        var rows: UInt64
        var bytes: Int
        var refusedBytes: Int
        var withheldBytes: UInt64
        var unreadableBytes: UInt64
    }

    func run() async throws {
        let store = try await options.open(author: words.author)
        let found = try TraceName.resolve(trace, store)
        let decoded = try await Progress.during("Decoding") { _ in try await store.decode(found, name: name) }
        let rows = try store.summary(of: decoded.trace).rowCount
        try printReport(decoded, rows)
        if decoded.unreadableCount > 0 { throw Answer.inPart }
    }

    private func printReport(_ decoded: Decoded, _ rows: UInt64) throws {
        if options.json {
            return try Terminal.print(
                json: Result(
                    trace: "\(decoded.trace)", rows: rows, bytes: decoded.byteCount,
                    refusedBytes: decoded.refusedByteCount, withheldBytes: decoded.withheldCount,
                    unreadableBytes: decoded.unreadableCount))
        }
        try Terminal.print(
            "\(NumberText.count(rows, "row")) from \(NumberText.bytes(decoded.byteCount)): trace \(decoded.trace.short)."
        )
        if decoded.refusedByteCount > 0 {
            Terminal.remark("\(NumberText.count(decoded.refusedByteCount, "byte")) could not be decoded.")
        }
        if decoded.withheldCount > 0 {
            Terminal.remark(
                "\(NumberText.count(decoded.withheldCount, "byte")) withheld: on another device, or removed as old.")
        }
        if decoded.unreadableCount > 0 {
            Terminal.remark(
                "\(NumberText.count(decoded.unreadableCount, "byte")) cannot be read: see groundwave trace verify \(trace)"
            )
        }
    }
}
