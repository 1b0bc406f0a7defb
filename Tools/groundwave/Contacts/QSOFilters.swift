import ArgumentParser
import Foundation
import Groundwave
import GroundwaveLogbook
import GroundwaveRadio

/// The filters that choose contacts.
struct QSOFilters: ParsableArguments {
    @Option(
        help: ArgumentHelp("Only contacts with this call; * stands for any letters, as in W1*.", valueName: "call"))
    var call: String?

    @Option(help: ArgumentHelp("Only on this band, such as 20m.", valueName: "band"))
    var band: String?

    @Option(help: ArgumentHelp("Only in this mode or submode, such as CW or FT8.", valueName: "mode"))
    var mode: String?

    @Option(help: ArgumentHelp("Only contacts made at this time or later: today, 90m, 2026-05-01.", valueName: "time"))
    var since: String?

    @Option(help: ArgumentHelp("Only contacts made before this time; a day means its end.", valueName: "time"))
    var until: String?

    @Option(help: ArgumentHelp("Only contacts recorded or changed at this time or later.", valueName: "time"))
    var recordedSince: String?

    @Option(help: ArgumentHelp("Only contacts of this session: its id, last, or open.", valueName: "id"))
    var session: String?

    @Option(help: ArgumentHelp("Only contacts from or with this park, such as US-1234.", valueName: "park"))
    var park: String?

    @Option(help: ArgumentHelp("Only contacts that this operator made.", valueName: "call"))
    var `operator`: String?

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp(
            "Only contacts whose field is so: FIELD=TEXT (with * and ?), FIELD= (empty), FIELD~TEXT (contains), "
                + "FIELD>VALUE or FIELD<VALUE. Repeatable.", valueName: "condition"))
    var conditions: [String] = []

    /// Whether no filter is given.
    var isEmpty: Bool {
        [call, band, mode, since, until, recordedSince, session, park, `operator`].allSatisfy { $0 == nil }
            && conditions.isEmpty
    }

    /// The filters as they were given, in an order of their own.
    var text: String {
        let filters = [
            ("call", call), ("band", band), ("mode", mode), ("since", since), ("until", until),
            ("recorded-since", recordedSince), ("session", session), ("park", park), ("operator", `operator`),
        ]
        let texts = filters.compactMap { name, value in value.map { "\(name)=\($0)" } }
        return (texts + conditions.map { "where=\($0)" }).joined(separator: " ")
    }

    /// The query that corresponds to the filters.
    func query(_ store: any Reading) throws -> ContactQuery {
        let now = Clock.now
        var query = ContactQuery.contacts
        let isPattern = call?.contains { $0 == "*" || $0 == "?" } ?? false
        if isPattern { query.callPattern = call } else { query.call = call }
        query.band = try band.map { try BandName.checked($0) }
        query.mode = mode
        // Notes of an activation are included only if their mode is asked for.
        query.includesMetadata = mode.map { QSOKind.metadataModes.contains($0.uppercased()) } ?? false
        query.since = try since.map { try TimeArgument($0, now: now).start }
        query.until = try until.map { try TimeArgument($0, now: now).end }
        query.recordedSince = try recordedSince.map { try TimeArgument($0, now: now).startMilliseconds }
        query.session = try session.map { try SessionName.resolve($0, store) }
        query.park = park
        query.operatorCall = `operator`
        query.conditions = try conditions.map { try FieldCondition(checking: $0) }
        for condition in query.conditions { try store.checkField(condition.field) }
        return query
    }
}

extension FieldCondition {
    /// Reads a condition as it was typed.
    fileprivate init(checking text: String) throws {
        do { try self.init(text) } catch { throw StoreError(.usage, error.message, hint: error.hint.map { Hint($0) }) }
    }
}

/// A session as it is named on the command line.
enum SessionName {
    /// The session that `text` names: an id, a prefix, a title, `last`, or `open`.
    static func resolve(_ text: String, _ store: any Reading) throws -> SessionID {
        guard text.lowercased() == "open" else { return try store.resolve(text, kind: "session") }
        return try open(store).id
    }

    /// The session that new contacts belong to: the open one unless `text` names another one, or `none`.
    static func choice(_ text: String?, _ store: any Reading) throws -> SessionChoice {
        switch text?.lowercased() {
        case nil: .open
        case "none": .none
        case let name?: .session(try resolve(name, store))
        }
    }

    /// The session that is open on this device.
    static func open(_ store: any Reading) throws -> OperatingSession {
        guard let session = try store.openSession() else {
            throw StoreError(.notFound, "No session is open.", hint: "To start one: groundwave session start")
        }
        return session
    }
}
