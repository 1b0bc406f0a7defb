// swift-tools-version: 6.2
import PackageDescription

// One entry per module: what it may import. Imports only go down; an import that is not listed here fails the build
// (`--explicit-target-dependency-import-check error`). Docs/Architecture.md says what each module is for, and what its layer
// is: one more than the highest layer that it imports.

/// A module of the library. Its target has a prefix, so that an application may have a target called Settings; its folder
/// in Sources has none.
func module(
    _ name: String, imports modules: [String] = [], _ others: [Target.Dependency] = [], _ settings: [SwiftSetting] = [],
    embedding files: [String] = []
) -> Target {
    .target(
        name: prefix + name, dependencies: ours(modules) + others, path: "Sources/\(name)",
        resources: files.map { .embedInCode($0) }, swiftSettings: settings)
}

/// A system library of the same kind: found by pkg-config, or in the SDK where there is none.
func systemLibrary(_ name: String, pkgConfig: String, _ providers: [SystemPackageProvider]) -> Target {
    .systemLibrary(
        name: prefix + name, path: "Sources/\(name)", pkgConfig: isVendored ? nil : pkgConfig, providers: providers)
}

/// A system library that no Apple SDK has: its sources are those that Tools/vendor has put into Sources/Vendored, if wanted.
func libraryToVendor(
    _ name: String, pkgConfig: String, _ providers: [SystemPackageProvider], _ settings: [CSetting] = []
) -> Target {
    isVendored
        ? .target(name: prefix + name, path: "Sources/Vendored/\(name)", cSettings: settings)
        : systemLibrary(name, pkgConfig: pkgConfig, providers)
}

// By a variable, and not by looking for the folder: SwiftPM remembers what a manifest said for the same variables, whatever
// lies beside it. In a fork for Xcode: true.
let isVendored = Context.environment["GROUNDWAVE_VENDORED"] == "1"

/// The targets of the modules that are called so.
func ours(_ modules: [String]) -> [Target.Dependency] { modules.map { .target(name: prefix + $0) } }

let prefix = "Groundwave"

/// What the program is made of: every product that an application may pick.
let everything: [Target.Dependency] =
    ["Everything", "Groundwave"]
    + ours([
        "Logbook", "Meters", "Network", "ObjectStore", "SQLite", "Testing",
    ])

let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

let package = Package(
    name: "Groundwave",
    platforms: [.macOS(.v26), .iOS(.v26), .visionOS(.v26)],
    products: [
        // The engine, for records of an application's own.
        .library(name: "Groundwave", targets: ["Groundwave"]),
        .library(name: "GroundwaveLogbook", targets: ["GroundwaveLogbook"]),
        .library(name: "GroundwaveMeters", targets: ["GroundwaveMeters"]),
        .library(name: "GroundwaveNetwork", targets: ["GroundwaveNetwork"]),
        .library(name: "GroundwaveObjectStore", targets: ["GroundwaveObjectStore"]),
        .library(name: "GroundwaveSQLite", targets: ["GroundwaveSQLite"]),
        .library(name: "GroundwaveTesting", targets: ["GroundwaveTesting"]),
        .executable(name: "groundwave", targets: ["groundwave-cli"]),
        // The page to look at a log, which groundwave look starts: whoever does not want it has no server.
        .executable(name: "groundwave-look", targets: ["groundwave-look"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    ],
    targets: [
        // Layer 0
        module("ADIF"),
        module("CChecksum"),
        module("CountryFiles"),
        libraryToVendor("CLMDB", pkgConfig: "lmdb", [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
        systemLibrary("CSQLite", pkgConfig: "sqlite3", [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        systemLibrary("CZlib", pkgConfig: "zlib", [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        libraryToVendor(
            "CZstd", pkgConfig: "libzstd", [.apt(["libzstd-dev"]), .brew(["zstd"])], [.define("ZSTD_DISABLE_ASM")]),
        module("Geography"),
        module("SVG"),
        module("SeededNumbers"),
        // Layer 1
        module("ByteCoding", imports: ["CChecksum"]),
        module("Cabrillo", imports: ["ADIF"]),
        module("Compression", imports: ["CZlib", "CZstd"]),
        module("LMDB", imports: ["CLMDB"], [], [.strictMemorySafety()]),
        module("Maps", imports: ["ADIF", "Geography", "SVG"]),
        // Layer 2
        module("Events", imports: ["ByteCoding"], [crypto]),
        module("LoggerMessages", imports: ["ADIF", "ByteCoding"]),
        module("MDBPages", imports: ["ByteCoding"]),
        // Layer 3
        module("LogFormat", imports: ["ByteCoding", "Compression", "Events", "LMDB"], [crypto]),
        module("Records", imports: ["ByteCoding", "Events"]),
        module("Sealing", imports: ["ByteCoding", "Events"], [crypto, cryptoExtras]),
        // Layer 4
        module("Membership", imports: ["ByteCoding", "Events", "LogFormat", "Records"]),
        module("LogRepair", imports: ["ByteCoding", "Events", "LMDB", "LogFormat", "MDBPages"]),
        module("Metering", imports: ["ByteCoding", "Compression", "Events", "Records"]),
        module("Settings", imports: ["ByteCoding", "Events", "Records"]),
        // Layer 5
        module(
            "EventLog",
            imports: ["ByteCoding", "Events", "LMDB", "LogFormat", "LogRepair", "MDBPages", "Membership"]),
        module("MeterProtocols", imports: ["ByteCoding", "Metering"], [cryptoExtras]),
        module("TraceFiles", imports: ["ByteCoding", "Compression", "Metering"]),
        module("TracePlot", imports: ["ByteCoding", "Compression", "Metering", "SVG"]),
        // Layer 6
        module(
            "Projections",
            imports: ["ByteCoding", "EventLog", "Events", "LMDB", "LogFormat", "MDBPages", "Membership", "Records"],
            [crypto]),
        module("Replication", imports: ["ByteCoding", "EventLog", "Events", "LogFormat"]),
        // Layer 7
        module("Peering", imports: ["ByteCoding", "EventLog", "Events", "LogFormat", "Replication"]),
        module(
            "Radio",
            imports: [
                "ADIF", "ByteCoding", "Cabrillo", "CountryFiles", "Events", "Geography", "Projections", "Records",
            ]),
        module("SealedRemotes", imports: ["ByteCoding", "Events", "LogFormat", "Replication", "Sealing"]),
        module(
            "Recovery", imports: ["EventLog", "Events", "LMDB", "LogFormat", "LogRepair", "MDBPages", "Projections"]),
        // Layer 8
        module("Connections", imports: ["Peering", "Replication"], [nioCore, nioPosix]),
        module("SecureStreams", imports: ["Events", "Peering", "Sealing"], [crypto]),
        module(
            "Store",
            imports: [
                "ByteCoding", "EventLog", "Events", "LMDB", "LogFormat", "MDBPages", "Membership", "Projections",
                "Records", "Recovery", "Sealing",
            ], [logging]),
        // Layer 9
        module("Observing", imports: ["EventLog", "Events", "LogFormat", "Projections", "Records", "Store"]),
        module("Remotes", imports: ["Replication", "Store"]),
        // Layer 10
        module(
            "Syncing",
            imports: [
                "ByteCoding", "EventLog", "Events", "LogFormat", "Membership", "Peering", "Projections", "Records",
                "Recovery", "Remotes", "Replication", "SealedRemotes", "Sealing", "SecureStreams", "Store",
            ]),
        // Layer 11
        module(
            "Auditing",
            imports: ["ByteCoding", "EventLog", "Events", "LogFormat", "Projections", "Records", "Store", "Syncing"]),
        // Layer 12
        module(
            "Recovering",
            imports: [
                "Auditing", "ByteCoding", "EventLog", "Events", "LMDB", "LogFormat", "LogRepair", "MDBPages",
                "Peering", "Projections", "Records", "Recovery", "Remotes", "Replication",
                "SealedRemotes", "Store", "Syncing",
            ], [crypto]),
        // Layer 13
        .target(
            name: "Groundwave",
            dependencies: ours([
                "Auditing", "Events", "LogFormat", "Observing", "Peering", "Projections", "Records", "Recovering",
                "Remotes", "Replication", "Store", "Syncing",
            ])),
        // Layer 14
        module(
            "Logbook",
            imports: [
                "ADIF", "Auditing", "ByteCoding", "Cabrillo", "Compression", "CountryFiles", "EventLog", "Events",
                "Geography", "LMDB", "LogFormat", "MDBPages", "Maps", "Observing", "Projections", "Radio", "Records",
                "Settings", "Store", "Syncing",
            ], ["Groundwave", crypto]),
        module(
            "Meters",
            imports: [
                "Auditing", "ByteCoding", "EventLog", "Events", "LMDB", "LogFormat", "MDBPages", "MeterProtocols",
                "Metering", "Projections", "Records", "Recovery", "Store", "Syncing", "TraceFiles", "TracePlot",
            ], ["Groundwave"]),
        module(
            "Network",
            imports: [
                "Connections", "EventLog", "Events", "Peering", "Remotes", "Replication", "SecureStreams", "Store",
                "Syncing",
            ],
            ["Groundwave"]),
        module(
            "ObjectStore", imports: ["ByteCoding", "Events", "Remotes", "Replication", "Store"], ["Groundwave"]),
        module("Testing", imports: ["Peering", "Replication", "SeededNumbers"], ["Groundwave"]),
        // Layer 15
        module(
            "SQLite",
            imports: [
                "ADIF", "ByteCoding", "CSQLite", "Logbook", "Metering", "Meters", "Radio", "Records", "Store",
                "TraceFiles",
            ]),
        module(
            "Wording",
            imports: [
                "ADIF", "Auditing", "EventLog", "Events", "Logbook", "Metering", "Meters", "Observing", "Projections",
                "Radio", "Records",
                "Store",
            ]),
        // Layer 16
        module(
            "Look",
            imports: [
                "ADIF", "Auditing", "ByteCoding", "EventLog", "Events", "LogFormat", "Logbook", "Metering", "Meters",
                "Projections", "Radio", "Records", "Recovering", "Replication", "Store", "Syncing", "TracePlot",
                "Wording",
            ], ["Groundwave", nioCore, nioHTTP1, nioPosix],
            embedding: ["Assets/icon.svg", "Assets/script.js", "Assets/style.css"]),
        // Every part of the library at once, for what is of no product.
        .target(
            name: "Everything", dependencies: ours(["Logbook", "Meters", "Network", "ObjectStore", "SQLite"]),
            path: "Tools/Everything"),
        .executableTarget(
            name: "groundwave-cli",
            dependencies: ["Everything", "Groundwave", arguments, logging]
                + ours([
                    "ADIF", "Connections", "Events", "Geography", "Logbook", "LoggerMessages", "MeterProtocols",
                    "Metering", "Meters", "Network", "Projections", "Radio", "Records", "Settings", "TraceFiles",
                    "Wording",
                ]),
            path: "Tools/groundwave"),
        .executableTarget(
            name: "groundwave-look",
            dependencies: ["Everything", arguments] + ours(["Look", "Store"]), path: "Tools/groundwave-look"),
        // Tests mirror the modules.
        .testTarget(name: "ByteCodingTests", dependencies: ours(["ByteCoding"])),
        .testTarget(name: "CompressionTests", dependencies: ours(["ByteCoding", "Compression", "SeededNumbers"])),
        .testTarget(name: "SeededNumbersTests", dependencies: ours(["SeededNumbers"])),
        .testTarget(name: "ADIFTests", dependencies: ours(["ADIF", "SeededNumbers"])),
        .testTarget(name: "CabrilloTests", dependencies: ours(["ADIF", "Cabrillo", "SeededNumbers"])),
        .testTarget(name: "CountryFilesTests", dependencies: ours(["CountryFiles", "SeededNumbers"])),
        .testTarget(
            name: "LoggerMessagesTests",
            dependencies: ours(["ADIF", "LoggerMessages", "SeededNumbers"]) + ["LoggerDatagrams"]),
        // Datagrams of logging programs, made from their published formats: it shares no code with the module that reads them.
        .target(name: "LoggerDatagrams", path: "Tests/LoggerDatagrams"),
        .testTarget(name: "MapsTests", dependencies: ours(["Geography", "Maps", "SeededNumbers"])),
        .testTarget(name: "LMDBTests", dependencies: ours(["LMDB", "SeededNumbers"]) + ["LMDBSecondProcess"]),
        // The other process of LMDBTests: it writes, holds transactions and is killed.
        .executableTarget(name: "LMDBSecondProcess", dependencies: ours(["LMDB"]), path: "Tests/LMDBSecondProcess"),
        .testTarget(name: "EventsTests", dependencies: ours(["ByteCoding", "Events", "SeededNumbers"])),
        .testTarget(
            name: "EventLogTests",
            dependencies: ours([
                "ByteCoding", "EventLog", "Events", "LMDB", "LogFormat", "LogRepair", "MDBPages", "Membership",
                "Records",
                "SeededNumbers",
            ])),
        .testTarget(
            name: "MembershipTests", dependencies: ours(["ByteCoding", "Events", "LogFormat", "Membership", "Records"])),
        .testTarget(name: "RecordsTests", dependencies: ours(["ByteCoding", "Events", "Records", "SeededNumbers"])),
        .testTarget(name: "SealingTests", dependencies: ours(["ByteCoding", "Events", "Sealing", "SeededNumbers"])),
        .testTarget(
            name: "ProjectionsTests",
            dependencies: ours([
                "ByteCoding", "EventLog", "Events", "LMDB", "LogFormat", "Projections", "Records", "SeededNumbers",
            ])
                + ["flip-reader"]),
        // The other process of ProjectionsTests: it reads damaged files, and may be ended by a signal.
        .executableTarget(
            name: "flip-reader",
            dependencies: ours([
                "ByteCoding", "EventLog", "Events", "LMDB", "LogFormat", "MDBPages", "Projections", "Records",
            ]),
            path: "Tests/FlipReader"),
        .testTarget(
            name: "ReplicationTests",
            dependencies: ours([
                "ByteCoding", "EventLog", "Events", "LogFormat", "Peering", "Replication", "SeededNumbers", "Testing",
            ]) + ["transport-writer"]),
        // Random histories of some devices, and what must be so afterwards: a program, for Tools/histories, and its suites.
        .executableTarget(
            name: "histories",
            dependencies: everything
                + ours([
                    "ByteCoding", "EventLog", "Events", "LMDB", "LogFormat", "Membership", "Peering", "Radio",
                    "Records",
                    "Replication", "SeededNumbers", "Syncing",
                ]),
            path: "Tests/Simulation"),
        .testTarget(
            name: "Simulation",
            dependencies: ours(["EventLog", "Events", "LogFormat", "ObjectStore", "Replication", "SeededNumbers"])
                + ["ObjectServers", "histories"],
            path: "Tests/SimulationTests"),
        // Object stores as processes of their own: a real one, and one that does wrong what it is told.
        .target(
            name: "ObjectServers", dependencies: ours(["ObjectStore", "Replication", "Syncing"]),
            path: "Tests/ObjectServers", exclude: ["ceph.py", "fault-server.py", "object_server.py", "seaweedfs.py"]),
        .testTarget(
            name: "ObjectStoreTests",
            dependencies: ours([
                "Events", "LogFormat", "ObjectStore", "Replication", "SeededNumbers", "Store", "Syncing", "Testing",
            ]) + ["ObjectServers"]),
        .testTarget(
            name: "SecureStreamsTests",
            dependencies: ours(["ByteCoding", "Events", "Peering", "SecureStreams", "SeededNumbers", "Testing"])),
        .testTarget(
            name: "ConnectionsTests",
            dependencies: ours([
                "Connections", "EventLog", "Events", "LogFormat", "Peering", "Replication", "SeededNumbers",
            ]) + [
                nioCore, nioPosix,
            ]),
        // The other process of ReplicationTests: it stores objects and is killed, or may not do everything.
        .executableTarget(name: "transport-writer", dependencies: ours(["Replication"]), path: "Tests/TransportWriter"),
        // The call sites of the public interface, compiled and run: they import what an application imports.
        .testTarget(name: "Examples", dependencies: everything + ours(["LogFormat"]), path: "Tests/Examples"),
        // One store used by many tasks, with the engine alone: the thread sanitizer runs it.
        .testTarget(name: "WriterTests", dependencies: ["Groundwave"] + ours(["Testing"])),
        .testTarget(
            name: "MeteringTests",
            dependencies: ours([
                "ByteCoding", "Compression", "MeterProtocols", "Metering", "SeededNumbers", "TraceFiles", "TracePlot",
            ])),
        // Meters as a witness sees them: it shares no code with the modules that it judges. And the suites that judge.
        .target(
            name: "SimulatedMeters", dependencies: ours(["SeededNumbers"]) + [cryptoExtras],
            path: "Tests/SimulatedMeters"),
        .testTarget(
            name: "SimulatedMeterTests",
            dependencies: ["SimulatedMeters"]
                + ours(["MeterProtocols", "Metering", "Meters", "SeededNumbers", "Testing"])),
        .testTarget(
            name: "RecoveryTests",
            dependencies: ours([
                "EventLog", "Events", "LMDB", "LogFormat", "LogRepair", "Projections", "Recovery", "SeededNumbers",
            ])),
        .testTarget(
            name: "RadioTests",
            dependencies: ours(["ADIF", "ByteCoding", "Cabrillo", "Events", "Radio", "Records", "SeededNumbers"])),
        .testTarget(
            name: "GroundwaveTests",
            dependencies: everything
                + ours([
                    "ADIF", "ByteCoding", "Compression", "Connections", "EventLog", "Events", "LMDB", "LogFormat",
                    "LogRepair", "MDBPages", "Membership", "MeterProtocols", "Metering", "Observing", "Peering",
                    "Projections", "Radio", "Records", "Recovery", "Replication", "SealedRemotes", "Sealing",
                    "SecureStreams", "SeededNumbers",
                    "Settings", "Store", "Syncing",
                ]) + ["SimulatedMeters"]),
        .testTarget(
            name: "ProgramTests",
            dependencies: everything + ours(["Events", "Records", "SeededNumbers"]) + [
                "LoggerDatagrams", "ObjectServers", "SimulatedMeters", "groundwave-cli", nioCore, nioPosix,
            ]),
        .testTarget(
            name: "LookTests",
            dependencies: everything
                + ours(["Events", "Look", "Projections", "Radio", "Records", "SeededNumbers", "Store"])),
        // The program as real child processes that are killed, starved and lied to.
        .executableTarget(
            name: "fault-writer", dependencies: everything, path: "Tests/FaultWriter"),
        .testTarget(
            name: "FaultsTests",
            dependencies: everything
                + ours(["EventLog", "Events", "LogRepair", "Projections", "Radio", "Records"]) + ["SimulatedMeters"],
            path: "Tests/Faults"),
        // What Tools/bench runs. These are of no product: a package that uses ours builds none of them.
        .executableTarget(
            name: "Bench",
            dependencies: ours([
                "ADIF", "ByteCoding", "EventLog", "Events", "LogFormat", "LogRepair", "MeterProtocols", "Metering",
                "Projections", "Radio", "Records", "Sealing", "TracePlot",
            ]) + everything,
            path: "Tools/Benchmarks/Sources/Bench"),
    ],
    swiftLanguageModes: [.v6]
)

#if os(Linux)
// What Tools/faults runs: it plays the disk by LD_PRELOAD, which is Linux's.
package.targets.append(
    .executableTarget(
        name: "FaultBench",
        dependencies: everything
            + ours([
                "ByteCoding", "EventLog", "Events", "LMDB", "LogFormat", "LogRepair", "Metering", "Projections",
                "Radio", "Records",
            ]) + ["SimulatedMeters"],
        path: "Tools/FaultBench/Sources/FaultBench"))
#endif
