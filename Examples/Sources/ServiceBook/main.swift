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
            Service(
                device: "Boiler", day: CalendarDay("2026-01-12"), cents: 18_050, notes: "Burner cleaned",
                parts: ["Seal, 40 mm"]),
            Service(device: "Lift", day: CalendarDay("2026-01-12"), cents: 42_000, notes: "Ropes inspected"),
            Service(device: "Boiler", day: CalendarDay("2026-04-02"), cents: 6_000, notes: "Pump: bearing noisy"),
        ].map { try batch.add($0) }
    }
    let ids = added.value
    try await labels.catchUp()
    let days = try store.services(of: "Boiler").compactMap(\.day).map { "\($0)" }
    check(days == ["2026-01-12", "2026-04-02"], "services are in order of day")
    check(try store.find(Service.self, ids[0])?.parts == ["Seal, 40 mm"], "an element may contain a comma")
    check(try store.costs(of: "Boiler") == ["2026-01": 18_050, "2026-04": 6_000], "costs are summed by month")
    check(try store.search("bear") == [ids[2]], "words are found by how they begin")
    check(try labels.read()["\(ids[1])"] == "Lift, serviced on 2026-01-12", "the first step of a consumer is a reset")

    // A correction says why. Undoing it is a batch of its own.
    let april = try store.currentToken()
    let correction = try await store.write(note: "As invoiced") { batch in
        try batch.edit(Service.self, ids[2]) { service in
            service.cents = 7_250
            service.day = CalendarDay("2026-05-04")
        }
    }
    check(try store.costs(of: "Boiler") == ["2026-01": 18_050, "2026-05": 7_250], "sums follow a correction")
    try await store.write(note: "Entered for another house") { try $0.remove(Service.name, ids[1]) }
    try await labels.catchUp()
    check(try store.services(of: "Lift").isEmpty && store.costs(of: "Lift").isEmpty, "hidden services count nowhere")
    check(try labels.read()["\(ids[2])"] == "Boiler, serviced on 2026-05-04", "the file follows corrections")
    check(try labels.read()["\(ids[1])"] == nil, "hidden services have no label")

    // The past is read like the present, projections and indexes included.
    let past = try await store.at(.position(april.position))
    check(try past.costs(of: "Lift") == ["2026-01": 42_000], "the past has the sums of then")
    check(try past.services(of: "Boiler").map(\.cents) == [18_050, 6_000], "the past has the records of then")

    _ = try await store.revert(correction.batch, note: "The invoice was wrong")
    let (now, then) = (try store.services(of: "Boiler"), try past.services(of: "Boiler"))
    check(now.map(\.value) == then.map(\.value), "an undone correction leaves nothing")
    let notes = try store.history(HistoryQuery(of: Service.name, ids[2])).map(\.note.text)
    check(notes == ["The invoice was wrong", "As invoiced", "The year's first visit"], "the history tells why")

    // What cannot be right is refused before anything is written.
    do {
        _ = try await store.write { try $0.add(Service(day: CalendarDay("2026-05-05"))) }
        check(false, "a service needs a device")
    } catch Service.Problem.noDevice {}
    do {
        try await store.write { try $0.set(Service.name, ids[0], [Assignment("DAY", text: "last Monday")]) }
        check(false, "a day is a day")
    } catch let error as StoreError { check(error.code == .invalid, error.message) }

    // What was made of the log can be made again of the log, and is the same.
    check(try store.compareWithReplay().isSame, "the tables agree with the log")
    for (month, cents) in try store.costs(of: "Boiler").sorted(by: { $0.key < $1.key }) {
        print("Boiler \(month): \(cents / 100).\(String(cents % 100 + 100).dropFirst())")
    }
    try store.close()
}
