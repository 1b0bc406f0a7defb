import Groundwave
import GroundwaveEvents
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveWording

/// Pauses, resumes or ends a session.
struct SessionStatusChange {
    let name: String?
    let options: StoreOptions
    let writing: WriteOptions
    let status: OperatingSession.Status

    func run() async throws {
        let store = try await options.open(author: writing.author)
        let id = try id(store)
        let written = try await store.setSession(
            id, to: status, now: Clock.now, note: writing.note ?? "", author: writing.author)
        if options.json { return try Terminal.print(json: ChangeResult(id, written.batch)) }
        let state = status == .ended ? "has ended" : "is \(status.rawValue)"
        try Terminal.print("The session \(id.short) \(state)\(written.value ? "" : " already").")
    }

    private func id(_ store: any Reading) throws -> RecordID {
        if let name { return try SessionName.resolve(name, store) }
        if let open = try store.openSession() { return open.id }
        return status == .active ? try store.resolve("last", kind: "session") : try SessionName.open(store).id
    }
}
