// A service book for equipment: a kind and projections of the application's own, edits and undo, a file that follows the
// store, and the past.
import Check
import Foundation
import Groundwave

try await withFolder { folder in
    let configuration = Configuration(
        author: "janitor", kinds: [Service.self], projections: [Costs.self, Words.self],
        stateFolder: folder.appending(path: "state"))
    let store = try await Store.create(at: folder.appending(path: "book"), configuration)
    let labels = Labels(store: store, file: folder.appending(path: "labels.json"))

    // Several records in one batch: all of them are written, or none.
    let added = try await store.write(note: "The year's first visit") { batch in
        try [
            Service(device: "Boiler", day: "2026-01-12", cents: 18_050, notes: "Burner cleaned, seal replaced"),
            Service(device: "Lift", day: "2026-01-12", cents: 42_000, notes: "Ropes inspected"),
            Service(device: "Boiler", day: "2026-04-02", cents: 6_000, notes: "Pump: bearing noisy"),
        ].map { try batch.add(Service.schema.name, $0.assignments) }
    }
    let ids = added.value
    try await labels.catchUp()
    check(try store.services(of: "Boiler").map(\.day) == ["2026-01-12", "2026-04-02"], "services are in order of day")
    check(try store.costs(of: "Boiler") == ["2026-01": 18_050, "2026-04": 6_000], "costs are summed by month")
    check(try store.search("bear") == [ids[2]], "words are found by how they begin")
    check(try labels.read()["\(ids[1])"] == "Lift, serviced on 2026-01-12", "the first step of a consumer is a reset")

    // A correction says why. Undoing it is a batch of its own.
    let april = try store.currentToken()
    let correction = try await store.write(note: "As invoiced") { batch in
        try batch.set(
            Service.schema.name, ids[2], [Assignment("CENTS", text: "7250"), Assignment("DAY", text: "2026-05-04")])
    }
    check(try store.costs(of: "Boiler") == ["2026-01": 18_050, "2026-05": 7_250], "sums follow a correction")
    try await store.write(note: "Entered for another house") { try $0.remove(Service.schema.name, ids[1]) }
    try await labels.catchUp()
    check(try store.services(of: "Lift").isEmpty && store.costs(of: "Lift").isEmpty, "hidden services count nowhere")
    check(try labels.read()["\(ids[2])"] == "Boiler, serviced on 2026-05-04", "the file follows corrections")
    check(try labels.read()["\(ids[1])"] == nil, "hidden services have no label")

    // The past is read like the present, projections and indexes included.
    let past = try await store.at(.position(april.position))
    check(try past.costs(of: "Lift") == ["2026-01": 42_000], "the past has the sums of then")
    check(try past.services(of: "Boiler").map(\.cents) == [18_050, 6_000], "the past has the records of then")

    _ = try await store.revert(correction.batch, note: "The invoice was wrong")
    check(try store.services(of: "Boiler") == past.services(of: "Boiler"), "an undone correction leaves nothing")
    var query = HistoryQuery()
    query.record = (Service.schema.name, ids[2])
    let notes = try store.history(query).map(\.note.text)
    check(notes == ["The invoice was wrong", "As invoiced", "The year's first visit"], "the history tells why")

    // What was made of the log can be made again of the log, and is the same.
    check(try store.compareWithReplay().isSame, "the tables agree with the log")
    for (month, cents) in try store.costs(of: "Boiler").sorted(by: { $0.key < $1.key }) {
        print("Boiler \(month): \(cents / 100).\(String(cents % 100 + 100).dropFirst())")
    }
    try store.close()
}
