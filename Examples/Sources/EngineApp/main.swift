// The engine alone: records of an application's own, their history, a point in the past, and a bundle for another device.
import Check
import Events
import Foundation
import Groundwave
import Settings

enum Plant: RecordKind {
    static let schema = KindSchema(
        name: "plant", fields: [FieldSchema(1, "NAME"), FieldSchema(2, "LAST"), FieldSchema(3, "NOTES", .union)])
}

/// What an application of its own would show of a plant.
func last(_ record: Record?) -> Event? {
    record.flatMap { Plant.schema.value(of: "LAST", in: $0) }.flatMap {
        Event(rawValue: String(decoding: $0, as: UTF8.self))
    }
}

try await withFolder { folder in
    func configuration(_ device: String) -> Configuration {
        Configuration(
            author: "gardener", deviceName: device, kinds: [Plant.self],
            stateFolder: folder.appending(path: device + "-state"))
    }
    let phone = try await Store.create(at: folder.appending(path: "phone"), configuration("phone"))
    let tomato = try await phone.write(note: "first of the year") {
        try $0.add("plant", [Assignment("NAME", text: "Tomato"), Assignment("LAST", text: Event.planted.rawValue)])
    }
    let spring = try phone.currentToken()
    let watering = try await phone.write {
        try $0.set("plant", tomato.value, [Assignment("LAST", text: Event.watered.rawValue)])
    }
    check(last(try phone.record("plant", tomato.value)) == .watered, "a field is set")

    let past = try await phone.at(.position(spring.position))
    check(last(try past.record("plant", tomato.value)) == .planted, "a point in the past shows what was there")
    var query = HistoryQuery()
    query.record = ("plant", tomato.value)
    check(try phone.history(query).count == 2, "the history has both writes")

    // Another device joins the log by a shared folder. Later changes reach it as a file.
    let shared = RemoteAddress.folder(folder.appending(path: "shared"))
    let syncing = try await phone.startSyncing(with: shared)
    _ = try await syncing.once(deadline: .seconds(25))
    syncing.stop()
    let tablet = try await Store.join(shared, at: folder.appending(path: "tablet"), configuration("tablet")).store
    check(last(try tablet.record("plant", tomato.value)) == .watered, "the other device has both writes")
    _ = try await phone.revert(watering.batch, note: "it had rained")
    let bundle = folder.appending(path: "garden.gwb")
    _ = try await phone.createBundle(to: bundle.path)
    _ = try await tablet.applyBundle(bundle.path)
    check(last(try tablet.record("plant", tomato.value)) == .planted, "a batch that is taken back is so on both")
    try tablet.close()
    try phone.close()
    print("Plants are watered every \(Settings().daysBetweenWaterings) days.")
}
