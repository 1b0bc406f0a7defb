import GroundwaveLogbook

/// The model of a screen with a list of contacts: it shows what is in the store, from whichever device or program it came, lists
/// the conflicts, and undoes.
///
/// On Apple's platforms it would be `@Observable`; here, ``updates`` tells the screen that something is new. Call
/// ``disappear()`` when the screen goes: until then, the model follows the store.
@MainActor final class ContactList {
    /// The contacts of the query, as they stand.
    private(set) var contacts: [Contact] = []
    /// What a person has to decide, by contact.
    private(set) var conflicts: [RecordID: [Conflict]] = [:]
    /// What went wrong last, for people.
    private(set) var problem: String?
    /// An element whenever one of the above is new.
    let updates: AsyncStream<Void>

    private let store: Store
    private let query: ContactQuery
    private let updated: AsyncStream<Void>.Continuation
    private var tasks: [Task<Void, Never>] = []

    init(_ store: Store, showing query: ContactQuery = .contacts) {
        (self.store, self.query) = (store, query)
        (updates, updated) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Starts to follow the store, when the screen appears.
    func appear() {
        guard tasks.isEmpty else { return }
        tasks = [
            Task { await trying { try await followContacts() } },
            Task { await trying { try await followConflicts() } },
        ]
    }

    /// Stops, when it disappears.
    func disappear() {
        for task in tasks { task.cancel() }
        tasks = []
    }

    /// Logs a contact.
    func log(_ contact: Contact) async { await trying { try await store.write { _ = try $0.add(contact) } } }

    /// Changes the name of the operator.
    func rename(_ id: RecordID, to name: String) async {
        await trying { try await store.write(note: "Name") { _ = try $0.set(\.name, of: id, to: name) } }
    }

    /// Hides a contact.
    func remove(_ id: RecordID) async { await trying { try await store.write { _ = try $0.removeContact(id) } } }

    /// Decides a conflict: all devices will show `candidate`.
    func decide(_ conflict: Conflict, for candidate: Conflict.Candidate) async {
        await trying { _ = try await store.choose(candidate, in: conflict) }
    }

    /// Takes back what this device wrote last.
    func undo() async {
        await trying { _ = try await store.revert(store.undoableBatches(1).first, note: "Undone") }
    }

    private func followContacts() async throws {
        for try await contacts in store.values(of: query) {
            self.contacts = contacts
            updated.yield()
        }
    }

    /// A write that loses against a concurrent one changes no value, so the list alone would not tell of it.
    ///
    /// Off the main actor: it looks through all records once, and an import changes many.
    @concurrent nonisolated private func followConflicts() async throws {
        // Before reading, so that nothing falls in between.
        let token = try store.currentToken()
        var conflicts: [RecordID: [Conflict]] = [:]
        for record in try store.conflicts() where record.kind == "qso" {
            conflicts[record.id] = try store.conflicts(in: record)
        }
        await show(conflicts)
        for try await set in store.changes(since: token, matching: .kind("qso")) {
            for change in set.changes {
                let record = try store.record(change.kind, change.record)
                let found = try record.map { try store.conflicts(in: $0) } ?? []
                conflicts[change.record] = found.isEmpty ? nil : found
            }
            await show(conflicts)
        }
    }

    private func show(_ conflicts: [RecordID: [Conflict]]) {
        guard conflicts != self.conflicts else { return }
        self.conflicts = conflicts
        updated.yield()
    }

    /// Runs what a person or the screen asked for, and keeps what went wrong. Cancelling is no problem.
    private func trying(_ body: () async throws -> Void) async {
        do {
            try await body()
        } catch is CancellationError {
        } catch let error as StoreError where error.code == .busy {
            problem = "Somebody else has just changed this. Please look again."
            updated.yield()
        } catch {
            problem = error.localizedDescription
            updated.yield()
        }
    }
}
