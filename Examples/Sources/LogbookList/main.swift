// The model of a list screen: live updates from this and another device, a conflict shown and decided, and undo.
import Check
import Foundation
import GroundwaveLogbook

/// Waits until the list shows what it should.
@MainActor func shown(_ list: ContactList, _ text: String, _ condition: (ContactList) -> Bool) async {
    let deadline = Task.detached {
        try await Task.sleep(for: .seconds(60))
        check(false, "\(text): not within a minute")
    }
    defer { deadline.cancel() }
    if condition(list) { return }
    for await _ in list.updates where condition(list) { return }
}

/// Sends what is new here, and fetches what is new elsewhere.
func synchronise(_ store: Store, _ remote: RemoteAddress) async throws {
    let syncing = try await store.startSyncing(with: remote)
    _ = try await syncing.once(deadline: .seconds(25))
    syncing.stop()
}

try await withFolder { folder in
    func configuration(_ device: String) -> Configuration {
        Configuration(
            author: "N0CALL", deviceName: device, components: [.logbook],
            stateFolder: folder.appending(path: device + "-state"))
    }
    let remote = RemoteAddress.folder(folder.appending(path: "shared"))
    let shack = try await Store.create(at: folder.appending(path: "shack"), configuration("shack"))
    let list = ContactList(shack)
    list.appear()
    await list.log(Contact("W1AW", frequency: Frequency(hertz: 14_032_500), mode: .cw))
    await shown(list, "the list shows what is logged") { $0.contacts.map(\.call) == ["W1AW"] }

    // Another device logs a contact, and both name one operator differently before they meet.
    try await synchronise(shack, remote)
    let portable = try await Store.join(remote, at: folder.appending(path: "portable"), configuration("portable")).store
    let contact = try portable.read { try $0.all(.contacts)[0].id }
    try await portable.write {
        try $0.set(\.name, of: contact, to: "Ann")
        _ = try $0.add(Contact("K1AA", mode: .ssb))
    }
    await list.rename(contact, to: "Anna")
    try await synchronise(portable, remote)
    try await synchronise(shack, remote)
    await shown(list, "the list shows what came from elsewhere") { $0.contacts.count == 2 }
    await shown(list, "the conflict is shown") { $0.conflicts[contact]?.first?.candidates.count == 2 }

    guard let conflict = list.conflicts[contact]?.first,
        let ann = conflict.candidates.first(where: { $0.value == Array("Ann".utf8) })
    else { return check(false, "Ann is one of the candidates") }
    await list.decide(conflict, for: ann)
    await shown(list, "the conflict is decided") { list in
        list.conflicts.isEmpty && list.contacts.contains { $0.name == "Ann" }
    }
    await list.decide(conflict, for: ann)
    await shown(list, "what was decided meanwhile is said") { $0.problem != nil }

    await list.remove(contact)
    await shown(list, "a hidden contact is not listed") { $0.contacts.map(\.call) == ["K1AA"] }
    await list.undo()
    await shown(list, "hiding is undone") { $0.contacts.count == 2 }
    list.disappear()
    try portable.close()
    try shack.close()
    print("Two contacts were listed, and a conflict was decided.")
}
