import ArgumentParser
import Foundation
import Groundwave
import Radio

/// Which contacts a verb is about.
struct QSOFilters: ParsableArguments {
    @Option(help: ArgumentHelp("Only contacts with this station.", valueName: "call"))
    var call: String?

    /// The query they say.
    func query(_ store: Store) throws -> ContactQuery {
        var query = ContactQuery.contacts
        query.call = call
        return query
    }

    /// The filters as they were given.
    var text: String { call ?? "" }
}
