import Everything
import Foundation
import GroundwaveEvents
import GroundwaveSeededNumbers
import GroundwaveTesting
import Testing

/// Three devices of one log that meet in a folder, and what is true of them, kept beside them: who wrote which contact,
/// which catalogs lie where, and what each device can know. What a device *has* is what it lists: nothing here asks the
/// code that is judged.
private final class Situation {
    /// What a catalog tells whoever reads it: the contacts that its writer listed then, and which of them without values.
    struct Claim {
        var contacts: Set<String>
        var withoutValues: Set<String>
        /// The contacts that its writer knew of by bundles, its own or those of others.
        var known: Set<String> = []
    }

    static let count = 3
    let program: Program
    private(set) var stores: [Store] = []
    private var folders: [URL] = []
    /// The author of each contact.
    private var author: [String: Int] = [:]
    /// The contacts of each device, in order.
    private var written: [[String]]
    /// The claims of each device's catalogs, in order.
    private var claims: [[Claim]]
    /// These catalogs.
    private var catalogs: [[Data]]
    /// The devices whose last catalog the others cannot see yet.
    private var hidden: Set<Int> = []
    /// How many catalogs of each device each device has read.
    private var read: [[Int]]
    /// The contacts that a device knows of by a bundle.
    private var known: [Set<String>]
    /// What a device listed at the end of its last sync.
    private var synced: [Set<String>]
    /// The device that somebody has declared gone; what was known of its catalogs and contacts then; whether it has synced
    /// since, of which the others know once they have read what it has pushed.
    private(set) var gone: (index: Int, catalogs: Int, contacts: Set<String>, isBack: Bool)?
    /// What has happened, in order.
    private(set) var steps: [String] = []

    private var place: URL { program.folder.appending(path: "place") }

    init() async throws {
        program = try Program()
        let count = Self.count
        written = Array(repeating: [], count: count)
        claims = Array(repeating: [], count: count)
        catalogs = Array(repeating: [], count: count)
        read = Array(repeating: Array(repeating: 0, count: count), count: count)
        known = Array(repeating: [], count: count)
        synced = Array(repeating: [], count: count)
        for index in 0..<count {
            let url = index == 0 ? program.store : program.folder.appending(path: "device\(index)")
            var configuration = Configuration.full(author: "N\(index)CALL", deviceName: "device \(index)")
            configuration.stateFolder = program.state
            if index == 0 {
                let store = try await Store.open(at: url, configuration).whole
                try await store.add(remote: "place", at: .folder(place))
                try await store.sync(try store.remote("place"))
                stores.append(store)
            } else {
                stores.append(try await Store.join(.folder(place), at: url, configuration).store)
            }
            folders.append(url)
        }
        for _ in 0..<2 { for index in 0..<count { try await sync(index) } }
    }

    func close() throws { for store in stores { try store.close() } }

    /// Whether a device is gone, and has not come back.
    func isGone(_ index: Int) -> Bool { gone?.index == index && gone?.isBack == false }

    // MARK: What is true

    /// The contacts that a device lists, and those of them whose values it does not show.
    func listed(_ index: Int) throws -> Claim {
        var claim = Claim(contacts: [], withoutValues: [])
        try stores[index].read { view in
            for (call, id) in ids where try view.record("qso", id) != nil {
                claim.contacts.insert(call)
                if try stores[index].shows(id) == false { claim.withoutValues.insert(call) }
            }
        }
        return claim
    }

    private var ids: [String: RecordID] = [:]

    /// The contacts that a device knows to exist, of living authors, and does not list.
    func missing(_ index: Int) throws -> Set<String> {
        var all = known[index]
        for other in 0..<Self.count where try read[index][other] > 0 && !isRetired(other, for: index) {
            all.formUnion(claims[other][read[index][other] - 1].contacts)
        }
        return try living(all.subtracting(try listed(index).contacts), for: index)
    }

    /// Whether a device believes that another one is gone: it knows of no later contact or manifest of it.
    private func isRetired(_ other: Int, for index: Int) throws -> Bool {
        guard let gone, gone.index == other, index != other, read[index][other] <= gone.catalogs else { return false }
        let contacts = try listed(index).contacts.union(known[index]).filter { author[$0] == other }
        return contacts.isSubset(of: gone.contacts)
    }

    /// The contacts whose values a device is missing.
    func withoutValues(_ index: Int) throws -> Set<String> {
        try living(try listed(index).withoutValues, for: index)
    }

    private func living(_ contacts: Set<String>, for index: Int) throws -> Set<String> {
        try contacts.filter { try !isRetired(author[$0] ?? -1, for: index) }
    }

    /// Whether nothing that a device knows of is missing here, and nothing that is here is missing elsewhere.
    func isComplete(_ index: Int) throws -> Bool {
        let here = try listed(index)
        guard try missing(index).isEmpty, try withoutValues(index).isEmpty, synced[index] == here.contacts else {
            return false
        }
        return try (0..<Self.count).allSatisfy { other in
            guard try other != index && !isRetired(other, for: index), read[index][other] > 0 else { return true }
            let claim = claims[other][read[index][other] - 1]
            return try claim.contacts.isSuperset(of: here.contacts) && living(claim.withoutValues, for: index).isEmpty
        }
    }

    /// What a device can know of the others.
    func belief(_ index: Int) -> String {
        (0..<Self.count).map { other in
            let last = read[index][other] > 0 ? claims[other][read[index][other] - 1] : nil
            return "\(other) lists \(last?.contacts.sorted() ?? []) without \(last?.withoutValues.sorted() ?? [])"
        }.joined(separator: "; ")
    }

    // MARK: What happens

    func write(_ index: Int) async throws {
        let call = "N\(index)C\(written[index].count + 10)"
        steps.append("\(index) writes \(call)")
        ids[call] = try await stores[index].write { batch in
            try batch.add(
                "qso",
                [
                    Assignment("CALL", text: call), Assignment("QSO_DATE", text: "20260501"),
                    Assignment("TIME_ON", text: "1200"), Assignment("BAND", text: "20m"),
                    Assignment("MODE", text: "CW"),
                ])
        }.value
        author[call] = index
        written[index].append(call)
    }

    private func catalog(_ index: Int) throws -> URL {
        place.appending(path: "stores/\(try #require(stores[index].replica))/catalog")
    }

    func sync(_ index: Int) async throws {
        try show(index)
        try await stores[index].sync(try stores[index].remote("place"))
        let now = try listed(index)
        steps.append("\(index) syncs, and lists \(now.contacts.sorted()) without \(now.withoutValues.sorted())")
        for other in 0..<Self.count where other != index {
            read[index][other] = max(read[index][other], claims[other].count - (hidden.contains(other) ? 1 : 0))
            // What waits there for others was pushed on, and waits here too.
            for claim in claims[other].prefix(read[index][other]) { known[index].formUnion(claim.known) }
        }
        if let catalog = try? Data(contentsOf: try catalog(index)), catalog != catalogs[index].last {
            catalogs[index].append(catalog)
            claims[index].append(Claim(contacts: now.contacts, withoutValues: now.withoutValues, known: known[index]))
        }
        read[index][index] = claims[index].count
        synced[index] = now.contacts
        if gone?.index == index { gone?.isBack = true }
    }

    /// The others cannot see the last catalog of a device any more: a cloud has not copied it yet.
    func hide(_ index: Int) throws {
        guard claims[index].count > 1,
            (0..<Self.count).allSatisfy({ read[$0][index] < claims[index].count || $0 == index }),
            hidden.insert(index).inserted
        else { return }
        try catalogs[index][claims[index].count - 2].write(to: try catalog(index))
        steps.append("the last catalog of \(index) is hidden")
    }

    func show(_ index: Int) throws {
        guard hidden.remove(index) != nil, let last = catalogs[index].last else { return }
        try last.write(to: try catalog(index))
    }

    /// The last contact of one device comes to another one by hand, without those before it.
    func carry(from index: Int, to other: Int) async throws {
        guard written[index].count > 1 else { return }
        let path = program.folder.appending(path: "\(UUID().uuidString).gwb").path
        let replica = try #require(stores[index].replica)
        var vector = try stores[index].log.vector()
        vector[replica] -= 1
        _ = try await stores[index].createBundle(missingFrom: vector, to: path)
        _ = try await stores[other].applyBundle(path)
        known[other].formUnion(written[index])
        steps.append("the last contact of \(index) is carried to \(other)")
    }

    /// A device loses the values of a contact, which others may have.
    func drop(_ index: Int, _ numbers: inout SeededGenerator) throws {
        guard let call = try listed(index).contacts.sorted().randomElement(using: &numbers), let id = ids[call] else {
            return
        }
        steps.append("\(index) loses the values of \(call)")
        let events = try stores[index].read { try $0.record("qso", id)?.fields.flatMap(\.heads).map(\.id.event) ?? [] }
        try stores[index].log.letGo(EventSet(events.map { EventRange($0.replica, $0.sequence, through: $0.sequence) }))
    }

    /// Somebody declares a device gone, which all others learn at once.
    func retire(_ index: Int) async throws {
        guard gone == nil else { return }
        let others = (0..<Self.count).filter { $0 != index }
        for index in 0..<Self.count { try show(index) }
        for other in others + others { try await sync(other) }
        try await stores[others[0]].retire(try #require(stores[index].replica))
        let contacts = try listed(others[0]).contacts.union(known[others[0]])
        gone = (index, claims[index].count, contacts, false)
        steps.append("\(index) is retired")
        for index in others + others { try await sync(index) }
    }
}

extension Store {
    /// Whether a contact shows all its values.
    fileprivate func shows(_ id: RecordID) throws -> Bool {
        try read { view in
            let heads = try view.record("qso", id)?.fields.flatMap(\.heads) ?? []
            return !heads.contains(where: \.isWithheld)
        }
    }
}

@Suite struct `The status, held against what is true from outside,` {
    /// How many situations are tried: more by hand, with `GROUNDWAVE_SITUATIONS=2000`.
    static let situations = UInt64(ProcessInfo.processInfo.environment["GROUNDWAVE_SITUATIONS"] ?? "") ?? 40

    @Test(arguments: 1...situations)
    func `has no wrong word and no wrong exit code`(seed: UInt64) async throws {
        var numbers = SeededGenerator(seed: seed)
        let situation = try await Situation()
        for _ in 0..<Int.random(in: 3...14, using: &numbers) {
            let index = Int.random(in: 0..<Situation.count, using: &numbers)
            let isGone = situation.isGone(index)
            switch Int.random(in: 0..<12, using: &numbers) {
            case 0..<3: if !isGone { try await situation.write(index) }
            case 3..<7: if !isGone || Bool.random(using: &numbers) { try await situation.sync(index) }
            case 7: try situation.hide(index)
            case 8: try situation.show(index)
            case 9: if !isGone { try await situation.carry(from: index, to: (index + 1) % Situation.count) }
            case 10: try situation.drop(index, &numbers)
            default: try await situation.retire(index)
            }
        }
        // Who is gone says nothing any more, and nobody asks it.
        for index in 0..<Situation.count where !situation.isGone(index) { try check(situation, index, seed) }
        try situation.close()
    }

    private func check(_ situation: Situation, _ index: Int, _ seed: UInt64) throws {
        let (isComplete, missing) = (try situation.isComplete(index), try situation.missing(index).count)
        let values = try situation.withoutValues(index).count
        let store = situation.stores[index].url.path
        let words = try situation.program.run("sync", "status", "--exit-code", "--store", store)
        let told: Comment = """
            seed \(seed), device \(index): \(words.output)\(situation.steps.joined(separator: "\n"))
            \(situation.belief(index))
            """
        #expect(words.status == (isComplete ? 0 : 1), told)
        #expect(words.output.contains("  Complete: ") == isComplete, told)
        #expect(
            words.output.contains("are not here yet") || words.output.contains("is not here yet") == (missing > 0), told
        )
        if missing > 0 {
            #expect(words.output.contains("\(missing) event\(missing == 1 ? " is" : "s are") not here yet"), told)
        }
        #expect(words.output.contains("are missing here") == (values > 0), told)
        if values > 0 { #expect(words.output.contains("the values of \(values) event"), told) }
        let json = try situation.program.json("sync", "status", "--store", store)
        #expect(json["complete"] as? Bool == isComplete, told)
        guard case .complete = try situation.stores[index].syncState() else { return #expect(!isComplete, told) }
        #expect(isComplete, told)
    }
}
