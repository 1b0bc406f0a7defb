import Foundation
import Groundwave
import GroundwaveRecords
import Testing

private struct Lamp: TypedRecord {
    var name = ""
    var watts: Int?
    var rooms: [String] = []
    static let name = "lamp"
    static let fields = [Field(1, "TITLE", \.name), Field(2, "WATTS", \.watts), Field(3, "ROOMS", \.rooms)]
    static let byTitle = Index(1, "title") { [.text($0.name)] }
    static let indexes = [byTitle]
}

/// A program that does not know a kind of an application.
@Suite struct `Kinds of an application, in the program` {
    @Test func `are shown by the names of their fields, in lists, histories and differences`() async throws {
        let program = try Program()
        let store = try await Store.open(
            at: program.store, Configuration(kinds: [Lamp.self], components: [], stateFolder: program.state)
        ).whole
        let id = try await store.write(note: "Bought") {
            try $0.add(Lamp(name: "Desk", watts: 9, rooms: ["Study", "Attic, north"]))
        }.value
        let first = try await store.write(note: "Another bulb") { try $0.edit(Lamp.self, id) { $0.watts = 7 } }
        #expect(first.batch?.count == 1, "the log describes the kind already")
        try store.close()
        let kinds = try program.run("record", "kinds")
        let line = kinds.output.split(separator: "\n").first { $0.hasPrefix("lamp ") }
        #expect(line?.hasSuffix("TITLE WATTS ROOMS") == true, "\(kinds.output)")
        let shown = try program.run("record", "show", "lamp", "\(id)")
        #expect(shown.output.contains("TITLE") && shown.output.contains(#"Study,"Attic, north""#), "\(shown.output)")
        let history = try program.run("history")
        #expect(history.output.contains("WATTS") && !history.output.contains("#2"), "\(history.output)")
        let list = try program.run("record", "list", "lamp")
        #expect(list.output.contains("Desk"), "\(list.output)")
        // Only a program with the kind writes its records.
        let refused = try program.run("record", "edit", "lamp", "\(id)", "WATTS=8")
        #expect(
            refused.status == 64 && refused.errors.contains("There is no kind of record called lamp."),
            "\(refused.errors)")
        let reserved = try program.run("record", "remove", "kind", "\(KindDescription.id(of: "lamp"))")
        #expect(
            reserved.status == 77 && reserved.errors.contains("written only by Groundwave itself"), "\(reserved.errors)"
        )
    }

    @Test func `change no fold and no digest, whether a program knows them or not`() async throws {
        let program = try Program()
        let configuration = Configuration(kinds: [Lamp.self], components: [], stateFolder: program.state)
        let store = try await Store.open(at: program.store, configuration).whole
        try await store.write { for number in 1...20 { _ = try $0.add(Lamp(name: "Lamp \(number)", watts: number)) } }
        let known = "\(try store.digest().views)"
        try store.close()
        let digest = try program.json("digest")
        #expect(digest["digest"] as? String == known, "\(digest)")
        #expect(try program.run("verify", "--deep").status == 0)
        let again = try await Store.open(at: program.store, configuration).whole
        #expect(try again.all(Lamp.byTitle).count == 20 && again.views.rebuildsSoFar.isEmpty)
        try again.close()
    }
}
