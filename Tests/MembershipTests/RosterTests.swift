import Foundation
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveMembership
import Testing

/// A history of the model, in the names of a log: each history of a replica that has forked is a branch.
private struct ModelHistory: Decodable {
    struct Event: Decodable {
        let id: String
        let author: String
        let before: String?
        let word: String
        let device: String
        let named: [String]
    }

    let founder: String
    let events: [Event]
    let order: [String]
    let active: [String: [String]]
    let shown: [String]

    /// Reads the histories of `count` seeds.
    static func all(_ count: Int) throws -> [ModelHistory] {
        try RosterModel.lines("--print", "\(count)").map {
            try JSONDecoder().decode(ModelHistory.self, from: Data($0.utf8))
        }
    }
}

/// The same history as a log names it.
private struct NamedHistory {
    private(set) var streams = Streams()
    private(set) var names: [String: EventID] = [:]
    private var replicas: [String: ReplicaID] = [:]
    let history: ModelHistory

    init(_ history: ModelHistory) {
        self.history = history
        // Branches are in the order of their first events: so the names of streams are given out in order of these.
        var next: [String?: [ModelHistory.Event]] = [:]
        for event in history.events { next[event.before.map { $0 } ?? "of \(event.author)", default: []].append(event) }
        for (before, events) in next { next[before] = events.sorted { $0.id < $1.id } }
        let firsts = next.values.filter { $0.count > 1 }.flatMap { $0.map(\.id) }.sorted()
        let branches = Dictionary(
            uniqueKeysWithValues: firsts.enumerated().map { ($1, ReplicaID(high: 2, low: UInt64($0))) })
        let authors = Set(history.events.map(\.author)).union(history.order).union(history.events.map(\.device))
        for (index, author) in authors.sorted().enumerated() {
            replicas[author] = ReplicaID(high: 1, low: UInt64(index))
        }
        for author in authors {
            var open: [(event: String, stream: ReplicaID, sequence: SequenceNumber)] = [
                ("of \(author)", replica(author), 0)
            ]
            while let (before, stream, sequence) = open.popLast() {
                let events = next[before] ?? []
                for event in events {
                    var name = EventID(stream, sequence + 1)
                    if let branch = branches[event.id] {
                        streams.add(branch, to: stream, after: sequence)
                        name = EventID(branch, 1)
                    }
                    names[event.id] = name
                    open.append((event.id, name.replica, name.sequence))
                }
            }
        }
    }

    func replica(_ author: String) -> ReplicaID { replicas[author] ?? ReplicaID(high: 9, low: 9) }

    private func named(_ ids: [String]) -> [EventID] { ids.compactMap { names[$0] } }

    var statements: [RosterStatement] {
        history.events.compactMap { event in
            guard let name = names[event.id] else { return nil }
            switch event.word {
            case "approve": return RosterStatement(name, .approve(replica(event.device), ending: named(event.named)))
            case "revoke": return RosterStatement(name, .revoke(replica(event.device), seen: named(event.named)))
            case "admit": return RosterStatement(name, .admit(named(event.named)))
            default: return nil
            }
        }
    }

    func roster(of statements: [RosterStatement]) -> Roster {
        Roster(statements, phrase: replica("phrase"), founder: replica(history.founder), streams)
    }
}

@Suite struct `A roster` {
    private let phrase = ReplicaID(high: 0, low: 1)
    private let devices = (0..<5).map { ReplicaID(high: 1, low: $0) }

    private func roster(_ statements: RosterStatement...) -> Roster {
        Roster(statements, phrase: phrase, founder: devices[0], Streams())
    }

    @Test(.enabled(if: RosterModel.absence == nil, "needs python3"))
    func `is that of the model, in 500 histories with devices that turn, in any order`() throws {
        for history in try ModelHistory.all(500) {
            let named = NamedHistory(history)
            let roster = named.roster(of: named.statements)
            #expect(roster.order == history.order.map(named.replica))
            for (member, revocations) in history.active {
                #expect(
                    Set(roster.revocations[named.replica(member)] ?? []) == Set(revocations.map { named.names[$0]! }))
            }
            let shown = history.events.map(\.id).filter { roster.counts(named.names[$0]!) }
            #expect(shown.sorted() == history.shown)
            let other = named.roster(of: named.statements.shuffled())
            #expect(other == roster)
        }
    }

    @Test func `lets only seniors revoke: of two that revoke each other one stays`() {
        let roster = roster(
            RosterStatement(EventID(devices[0], 1), .approve(devices[1], ending: [])),
            RosterStatement(EventID(devices[1], 1), .approve(devices[2], ending: [])),
            RosterStatement(EventID(devices[1], 2), .revoke(devices[2], seen: [])),
            RosterStatement(EventID(devices[2], 1), .revoke(devices[1], seen: [])),
            RosterStatement(EventID(devices[2], 2), .revoke(devices[0], seen: [])))
        #expect(devices.map(roster.isMember) == [true, true, false, false, false])
        #expect(roster.order == [phrase] + devices[0...2])
        #expect(!roster.counts(EventID(devices[2], 1)))
    }

    @Test func `counts what the revoker had seen, and keeps the rest apart until it is admitted`() {
        let (first, second) = (devices[0], devices[1])
        let approval = RosterStatement(EventID(first, 1), .approve(second, ending: []))
        let revocation = RosterStatement(EventID(first, 2), .revoke(second, seen: [EventID(second, 3)]))
        let revoked = roster(approval, revocation)
        #expect((1...6).map { revoked.counts(EventID(second, $0)) } == [true, true, true, false, false, false])
        let admission = RosterStatement(EventID(first, 3), .admit([EventID(second, 5)]))
        let admitted = roster(approval, revocation, admission)
        #expect((1...6).map { admitted.counts(EventID(second, $0)) } == [true, true, true, true, true, false])
        #expect(!admitted.isMember(second))
    }

    @Test func `admits what a device wants as long as that belongs, also what is not written yet`() {
        let (first, second, stranger) = (devices[0], devices[1], devices[4])
        let approval = RosterStatement(EventID(first, 1), .approve(second, ending: []))
        let admission = RosterStatement(EventID(second, 1), .admit([EventID(stranger, 9), EventID(second, 99)]))
        let before = roster(approval, admission)
        #expect(before.counts(EventID(stranger, 9)) && !before.counts(EventID(stranger, 10)))
        let revocation = RosterStatement(EventID(first, 2), .revoke(second, seen: [EventID(second, 1)]))
        let after = roster(approval, admission, revocation)
        #expect(!after.counts(EventID(stranger, 1)) && !after.counts(EventID(second, 2)))
        #expect(after.counts(EventID(second, 1)))
    }

    @Test func `ends no revocation whose author is senior to the approver`() {
        let (first, second, third) = (devices[0], devices[1], devices[2])
        let roster = roster(
            RosterStatement(EventID(first, 1), .approve(second, ending: [])),
            RosterStatement(EventID(first, 2), .approve(third, ending: [])),
            RosterStatement(EventID(first, 3), .revoke(third, seen: [])),
            RosterStatement(EventID(second, 1), .approve(third, ending: [EventID(first, 3)])))
        #expect(!roster.isMember(third) && roster.revocations[third] == [EventID(first, 3)])
    }

    @Test func `knows what has to end before a device belongs that was excluded and never approved`() {
        let (first, other) = (devices[0], devices[1])
        let revocation = RosterStatement(EventID(first, 1), .revoke(other, seen: []))
        let before = roster(revocation)
        #expect(!before.isMember(other) && before.order == [phrase, first])
        #expect(before.revocations[other] == [EventID(first, 1)])
        let ending = before.revocations[other] ?? []
        let after = roster(revocation, RosterStatement(EventID(phrase, 1), .approve(other, ending: ending)))
        #expect(after.isMember(other) && after.counts(EventID(other, 1)))
    }

    @Test func `of a stolen first device is put right by the phrase`() {
        let (stolen, honest) = (devices[0], devices[1])
        let roster = roster(
            RosterStatement(EventID(stolen, 1), .approve(honest, ending: [])),
            RosterStatement(EventID(stolen, 2), .revoke(honest, seen: [])),
            RosterStatement(EventID(stolen, 3), .approve(devices[2], ending: [])),
            RosterStatement(EventID(phrase, 1), .revoke(stolen, seen: [EventID(stolen, 1)])),
            RosterStatement(EventID(phrase, 2), .approve(honest, ending: [EventID(stolen, 2)])))
        #expect([stolen, honest, devices[2]].map(roster.isMember) == [false, true, false])
        #expect(roster.counts(EventID(honest, 9)) && !roster.counts(EventID(devices[2], 1)))
    }

    @Test func `counts nothing of another history that a stolen key signs under the same numbers`() {
        let (first, second, branches) = (devices[0], devices[1], [devices[3], devices[4]])
        var streams = Streams()
        for branch in branches { streams.add(branch, to: second, after: 2) }
        let statements = [
            RosterStatement(EventID(first, 1), .approve(second, ending: [])),
            RosterStatement(EventID(first, 2), .revoke(second, seen: [EventID(branches[0], 2)])),
        ]
        let roster = Roster(statements, phrase: phrase, founder: first, streams)
        #expect(roster.counts(EventID(second, 2)) && roster.counts(EventID(branches[0], 2)))
        #expect(!roster.counts(EventID(branches[1], 1)) && !roster.counts(EventID(branches[0], 3)))
    }

    @Test func `counts what was there when the log was sealed, and nothing of devices that nobody approved`() {
        let before = EventSet([EventRange(devices[3], 1, through: 4)])
        let roster = Roster([], phrase: phrase, founder: devices[0], before: before, Streams())
        #expect(roster.counts(EventID(devices[3], 4)) && !roster.counts(EventID(devices[3], 5)))
        #expect(!roster.isMember(devices[3]) && roster.isMember(devices[0]))
    }
}
