import ArgumentParser
import Foundation
import Groundwave
import GroundwaveLogbook
import GroundwaveRadio
import GroundwaveWording

/// The filters that choose contacts.
struct QSOFilters: ParsableArguments {
    @Option(
        help: ArgumentHelp("Only contacts with this call; * stands for any letters, as in W1*.", valueName: "call"))
    var call: String?

    @Option(help: ArgumentHelp("Only on this band, such as 20m.", valueName: "band"))
    var band: String?

    @Option(help: ArgumentHelp("Only in this mode or submode, such as CW or FT8.", valueName: "mode"))
    var mode: String?

    @Option(help: ArgumentHelp("Only contacts made at this time or later: today, 90m, 2026-05-01.", valueName: "time"))
    var since: String?

    @Option(help: ArgumentHelp("Only contacts made before this time; a day means its end.", valueName: "time"))
    var until: String?

    @Option(help: ArgumentHelp("Only contacts recorded or changed at this time or later.", valueName: "time"))
    var recordedSince: String?

    @Option(help: ArgumentHelp("Only contacts of this session: its id, last, or open.", valueName: "id"))
    var session: String?

    @Option(help: ArgumentHelp("Only contacts from or with this park, such as US-1234.", valueName: "park"))
    var park: String?

    @Option(help: ArgumentHelp("Only contacts that this operator made.", valueName: "call"))
    var `operator`: String?

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp(
            "Only contacts whose field is so: FIELD=TEXT (with * and ?), FIELD= (empty), FIELD~TEXT (contains), "
                + "FIELD>VALUE or FIELD<VALUE. Repeatable.", valueName: "condition"))
    var conditions: [String] = []

    /// The filters as they were given.
    var filters: ContactFilters {
        var filters = ContactFilters()
        (filters.call, filters.band, filters.mode, filters.since, filters.until) = (call, band, mode, since, until)
        (filters.recordedSince, filters.session, filters.park) = (recordedSince, session, park)
        (filters.operator, filters.conditions) = (`operator`, conditions)
        return filters
    }

    /// Whether no filter is given.
    var isEmpty: Bool { filters == ContactFilters() }

    /// The filters as they were given, in an order of their own.
    var text: String { filters.text }

    /// The query that corresponds to the filters.
    func query(_ store: any Reading) throws -> ContactQuery { try filters.query(store, now: Clock.now) }
}
