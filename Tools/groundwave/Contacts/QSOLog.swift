import ArgumentParser
import Groundwave
import GroundwaveEvents
import GroundwaveLogbook
import GroundwaveRadio
import GroundwaveWording

struct QSOLog: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log", abstract: "Log contacts as they are made, a line each.",
        discussion: """
            Lines are those of Fast Log Entry; ? lists what they may have. What does not change is typed once: band, \
            frequency and mode begin as the session or the settings have them. A call alone is a contact made now. Each \
            line is safely in the log before the next prompt. Lines can also come from a pipe.

              groundwave qso log
              groundwave qso log --contest ARRL-SS-CW --serials --sent "B 61 EMA"
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions

    @Option(
        help: ArgumentHelp(
            "The session that contacts belong to: an id, last, or none; default: the open session.", valueName: "id"))
    var session: String?

    @Option(help: ArgumentHelp("The contest, as ADIF calls it: CONTEST_ID of each contact.", valueName: "id"))
    var contest: String?

    @Flag(help: "Send serial numbers: each contact gets the number after the highest that was sent (STX).")
    var serials = false

    @Option(
        help: ArgumentHelp("What you send in the contest besides report and number (STX_STRING).", valueName: "text"))
    var sent: String?

    struct Result: Encodable {
        struct Contact: Encodable {
            var line: Int
            var id: String
            var event: String?
            var dupe: String?
        }

        struct Failure: Encodable {
            var line: Int
            var message: String
        }

        var contacts: [Contact] = []
        var failed: [Failure] = []
    }

    func run() async throws {
        let store = try await options.open(author: writing.author)
        let choice = try SessionName.choice(session, store)
        var prompt = try LogPrompt(store, choice, contest: contest, sent: sent, sendsSerials: serials, writing)
        var result = Result()
        if !options.json { try Terminal.print(lines: prompt.introduction) }
        var number = 0
        let lines = TypedLines()
        defer { lines.end() }
        while let line = try lines.next({ prompt.frame(of: $0) }) {
            number += 1
            do {
                guard let line else {
                    throw StoreError(.usage, "The line is too long.", hint: "Each contact is a line of its own.")
                }
                let answer = try await prompt.take(line)
                if let contact = answer.contact {
                    result.contacts.append(
                        .init(line: number, id: "\(contact.id)", event: contact.event, dupe: contact.dupe))
                }
                if !options.json { try Terminal.print(lines: answer.lines) }
            } catch let error as StoreError where Terminal.canAsk || [.usage, .notFound].contains(error.code) {
                // At a terminal a full disk or another program that writes is seen, and the line is typed again.
                result.failed.append(.init(line: number, message: error.message))
                if !options.json { Terminal.report(error) }
                if ![.usage, .notFound].contains(error.code) { Terminal.remark("This line was not logged.") }
            }
        }
        lines.end()
        if options.json {
            try Terminal.print(json: result)
        } else {
            try Terminal.print("\(NumberText.count(result.contacts.count, "contact")) logged.")
        }
        // At a terminal every mistake was seen, and most were typed again.
        if !Terminal.canAsk, !result.failed.isEmpty { throw Answer.inPart }
    }
}
