// The logbook: contacts, a list of them, a correction with its history, an export.
import Check
import Foundation
import GroundwaveLogbook

try await withFolder { folder in
    let configuration = Configuration(
        author: "N0CALL", components: [.logbook], stateFolder: folder.appending(path: "state"))
    let store = try await Store.create(at: folder.appending(path: "log"), configuration)
    let contact = try await store.write {
        try $0.add(Contact("W1AW", frequency: Frequency(hertz: 14_032_500), mode: .cw))
    }
    try await store.write(note: "Read back wrong") {
        try $0.set(\.frequency, of: contact.value, to: Frequency(hertz: 7_032_500))
    }
    let shown = try store.read { try $0.find(contact.value) }
    check(shown?.band?.name == "40m", "the band follows from the frequency")
    var changes: [String] = []
    for try await change in store.history(of: contact.value, field: \.frequency) { changes.append(change.after ?? "–") }
    check(changes == ["7.0325", "14.0325"], "the history of the field has both values")
    let file = folder.appending(path: "log.adi")
    _ = try store.export(.contacts, as: .adi, created: 0, toFile: file.path)
    check(try String(contentsOf: file, encoding: .utf8).contains("<CALL:4>W1AW"), "the export has the contact")
    try store.close()
    print("One contact was logged, corrected and exported.")
}
