import GroundwaveMembership
import GroundwaveProjections
import GroundwaveRecords

/// The kinds of records that a store is opened with.
package enum RegisteredKinds {
    /// The names that the library uses, whichever parts of it a program has: no kind of an application may have one.
    package static let reserved: Set<String> = systemKinds.union([
        "activation", "calibration", "capture", "challenge", "dismissal", "equipment", "friend", "marker", "meter",
        "notesSource", "qso", "servicePresence", "session", "setting", "spot", "stretch", "trace", "webSDRFavorite",
    ])

    private static let systemKinds = Set(system.map(\.name))

    /// The kinds of the store itself.
    static let system: [KindSchema] = [
        ReplicaKind.schema, ImportKind.schema, MergeKind.schema, RevertKind.schema, ErasureKind.schema,
        ArchiveKind.schema, RecoveryKind.schema, RosterKind.schema, WriteKind.schema, KindDescription.schema,
    ]

    /// Returns the kinds and projections of `configuration`.
    ///
    /// - Throws: ``StoreError`` with code `usage` if a kind of the application has a reserved name, if two kinds or
    ///   projections have one name, or if a name is too long.
    package static func kinds(_ configuration: Configuration) throws -> Kinds {
        let own = configuration.kinds.map { $0.schema }
        if let taken = own.first(where: { reserved.contains($0.name) }) {
            throw StoreError(
                .usage, "A kind of records cannot be called \(taken.name): the library uses that name itself.",
                hint: "These names are taken: \(reserved.sorted().joined(separator: ", ")).")
        }
        let names = own.map(\.name)
        if let repeated = names.first(where: { name in names.count { $0 == name } > 1 }) {
            throw StoreError(
                .usage, "Two kinds of records are called \(repeated).", hint: "Give each kind a name of its own.")
        }
        let projections = configuration.projections.map { $0.name }
        if let name = projections.first(where: { !(1...64).contains($0.utf8.count) }) {
            throw StoreError(
                .usage, "A projection cannot be called “\(name.prefix(64))”.", hint: "Its name has 1 to 64 bytes.")
        }
        if let repeated = projections.first(where: { name in projections.count { $0 == name } > 1 }) {
            throw StoreError(
                .usage, "Two projections are called \(repeated).", hint: "Give each projection a name of its own.")
        }
        return Kinds(
            system + configuration.components.flatMap(\.kinds) + own, projections: configuration.projections)
    }
}

extension UnknownProjection: StoreErrorConvertible {
    package var storeError: StoreError {
        StoreError(
            .usage, "The store was opened without the projection \(name).",
            hint: "Name it in the configuration that the store is opened with.")
    }
}
