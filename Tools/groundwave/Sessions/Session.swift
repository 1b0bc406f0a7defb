import ArgumentParser
import Groundwave
import GroundwaveEvents
import GroundwaveRadio
import GroundwaveRecords

struct Session: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "Operating sessions: the open session fills in what a contact does not specify.",
        discussion: """
            Specify a session by its id, the first letters of the id, its title, last, or open. The open session is \
            the one that was last started or resumed on this device.
            """,
        subcommands: [
            SessionStart.self, SessionPause.self, SessionResume.self, SessionEnd.self, SessionEdit.self,
            SessionList.self, SessionShow.self,
        ])
}

/// What a session says of its contacts.
struct SessionFields: ParsableArguments {
    @Option(help: ArgumentHelp("The station's call.", valueName: "call"))
    var call: String?

    @Option(help: ArgumentHelp("The operator's call.", valueName: "call"))
    var `operator`: String?

    @Option(help: ArgumentHelp("Your parks, separated by commas.", valueName: "park,park"))
    var park: String?

    @Option(help: ArgumentHelp("Your summit.", valueName: "reference"))
    var summit: String?

    @Option(help: ArgumentHelp("Your grid square.", valueName: "grid"))
    var grid: String?

    @Option(help: ArgumentHelp("The rig.", valueName: "name"))
    var rig: String?

    @Option(help: ArgumentHelp("The antenna.", valueName: "name"))
    var antenna: String?

    @Option(help: ArgumentHelp("The power in watts.", valueName: "watts"))
    var power: String?

    @Option(help: ArgumentHelp("The frequency in MHz.", valueName: "MHz"))
    var freq: String?

    @Option(help: ArgumentHelp("The mode.", valueName: "mode"))
    var mode: String?

    @Option(help: ArgumentHelp("The contest, by its ADIF name.", valueName: "id"))
    var contest: String?

    @Option(help: ArgumentHelp("The title of the session.", valueName: "text"))
    var title: String?

    /// The fields that are given; an empty value clears one.
    var assignments: [Assignment] {
        let values = [
            ("CALL", call), ("OPERATOR", `operator`), ("PARK", park), ("SUMMIT", summit), ("GRID", grid), ("RIG", rig),
            ("ANTENNA", antenna), ("POWER", power), ("FREQ", freq), ("MODE", mode), ("CONTEST", contest),
            ("TITLE", title),
        ]
        return values.compactMap { name, value in
            value.map { Assignment(name, $0.isEmpty ? nil : Array($0.utf8)) }
        }
    }
}
