// The network: two devices of one log that talk to each other over TCP, on this machine.
import Check
import Foundation
import GroundwaveNetwork

enum Note: RecordKind {
    static let schema = KindSchema(name: "note", fields: [FieldSchema(1, "TEXT")])
}

try await withFolder { folder in
    func configuration(_ device: String) -> Configuration {
        Configuration(
            deviceName: device, kinds: [Note.self], components: [.network],
            stateFolder: folder.appending(path: device + "-state"))
    }
    let home = try await Store.create(at: folder.appending(path: "home"), configuration("home"))
    let note = try await home.write { try $0.add("note", [Assignment("TEXT", text: "73")]) }
    let serving = try await home.serve(at: HostAndPort("127.0.0.1:0"))
    let joined = try await Store.join(
        RemoteAddress("groundwave://\(serving.address)"), at: folder.appending(path: "away"), configuration("away"))
    check(try joined.store.record("note", note.value) != nil, "the other device has the note")
    check(try joined.store.digest() == home.digest(), "both devices show the same")
    try joined.store.close()
    await serving.stop()
    try home.close()
    print("Two devices have the same note.")
}
