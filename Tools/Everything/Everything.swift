import Foundation
// All parts of the library at once, as the program, the benchmarks and the tests use them.
@_exported import GroundwaveLogbook
@_exported import GroundwaveMeters
@_exported import GroundwaveNetwork
@_exported import GroundwaveObjectStore
@_exported import GroundwaveSQLite

extension [StoreComponent] {
    /// Every component.
    package static let all: [StoreComponent] = [.logbook, .meters, .network, .objectStore, .sqlite]
}

extension Configuration {
    /// A configuration with every component, and otherwise of these parts.
    package static func full(
        author: String = "", deviceName: String? = nil, kinds: [any RecordKind.Type] = [],
        projections: [any Projection.Type] = [], isReadOnly: Bool = false, archives: [String] = [],
        stateFolder: URL? = nil, surroundings: Surroundings = .system
    ) -> Configuration {
        Configuration(
            author: author, deviceName: deviceName, kinds: kinds, projections: projections, components: .all,
            isReadOnly: isReadOnly, archives: archives, stateFolder: stateFolder, surroundings: surroundings)
    }
}
