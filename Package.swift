// swift-tools-version: 6.2
import PackageDescription

// One line per module: what it may import. Imports only go down; an import that is not listed here fails the build
// (`--explicit-target-dependency-import-check error`). Docs/Architecture.md says what each module is for.

let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

let package = Package(
    name: "Groundwave",
    platforms: [.macOS(.v26)],
    products: [
        .library(name: "Groundwave", targets: ["Groundwave"]),
        .library(name: "GroundwaveTesting", targets: ["GroundwaveTesting"]),
        .executable(name: "groundwave", targets: ["groundwave-cli"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        // Layer 0
        .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
        .target(name: "CChecksum"),
        .target(name: "ByteCoding", dependencies: ["CChecksum"]),
        .target(name: "ADIF"),
        .target(name: "SeededNumbers"),
        // Layer 1
        .target(name: "LMDB", dependencies: ["CLMDB"], swiftSettings: [.strictMemorySafety()]),
        .target(name: "Compression", dependencies: ["CZlib", "CZstd"]),
        .target(name: "Events", dependencies: ["ByteCoding", crypto]),
        // Layer 2
        .target(name: "Records", dependencies: ["ByteCoding", "Events"]),
        .target(name: "EventLog", dependencies: ["ByteCoding", "Compression", "Events", "LMDB"]),
        // Layer 3
        .target(
            name: "Projections",
            dependencies: ["ByteCoding", "Compression", "EventLog", "Events", "LMDB", "Records", crypto]),
        .target(
            name: "Replication", dependencies: ["ByteCoding", "EventLog", "Events"]),
        // Layer 4
        .target(name: "Recovery", dependencies: ["EventLog", "Events", "LMDB", "Projections"]),
        .target(name: "Radio", dependencies: ["ADIF", "ByteCoding", "Events", "Projections", "Records"]),
        .target(name: "Metering", dependencies: ["ByteCoding", "Compression", "Events", "Records", cryptoExtras]),
        .target(name: "Settings", dependencies: ["ByteCoding", "Events", "Records"]),
        .target(name: "Connections", dependencies: ["EventLog", "Events", "Replication", nioCore, nioPosix]),
        // Layer 5
        .target(
            name: "Groundwave",
            dependencies: [
                "ADIF", "ByteCoding", "Connections", "EventLog", "Events", "LMDB", "Metering", "Projections", "Radio",
                "Records", "Recovery", "Replication", "Settings", crypto, grdb, logging,
            ]),
        // Layer 6
        .target(name: "GroundwaveTesting", dependencies: ["Groundwave", "SeededNumbers"]),
        .executableTarget(
            name: "groundwave-cli",
            dependencies: [
                "Events", "Groundwave", "Metering", "Projections", "Radio", "Records", "Settings", arguments, logging,
            ],
            path: "Tools/groundwave"),
        // Tests mirror the modules.
        .testTarget(name: "ByteCodingTests", dependencies: ["ByteCoding"]),
        .testTarget(name: "CompressionTests", dependencies: ["ByteCoding", "Compression", "SeededNumbers"]),
        .testTarget(name: "SeededNumbersTests", dependencies: ["SeededNumbers"]),
        .testTarget(name: "ADIFTests", dependencies: ["ADIF", "SeededNumbers"]),
        .testTarget(name: "LMDBTests", dependencies: ["LMDB", "LMDBSecondProcess", "SeededNumbers"]),
        // The other process of LMDBTests: it writes, holds transactions and is killed.
        .executableTarget(name: "LMDBSecondProcess", dependencies: ["LMDB"], path: "Tests/LMDBSecondProcess"),
        .testTarget(name: "EventsTests", dependencies: ["ByteCoding", "Events", "SeededNumbers"]),
        .testTarget(
            name: "EventLogTests",
            dependencies: ["ByteCoding", "EventLog", "Events", "LMDB", "Records", "SeededNumbers"]),
        .testTarget(name: "RecordsTests", dependencies: ["ByteCoding", "Events", "Records", "SeededNumbers"]),
        .testTarget(
            name: "ProjectionsTests",
            dependencies: [
                "ByteCoding", "EventLog", "Events", "LMDB", "Projections", "Records", "SeededNumbers", "flip-reader",
            ]),
        // The other process of ProjectionsTests: it reads damaged files, and may be ended by a signal.
        .executableTarget(
            name: "flip-reader",
            dependencies: ["ByteCoding", "EventLog", "Events", "LMDB", "Projections", "Records"],
            path: "Tests/FlipReader"),
        .testTarget(
            name: "ReplicationTests",
            dependencies: ["ByteCoding", "EventLog", "Events", "Replication", "SeededNumbers", "transport-writer"]),
        // Random histories of some devices, and what must be so afterwards: a program, for Tools/histories, and its suites.
        .executableTarget(
            name: "histories",
            dependencies: ["ByteCoding", "EventLog", "Events", "LMDB", "Records", "Replication", "SeededNumbers"],
            path: "Tests/Simulation"),
        .testTarget(
            name: "Simulation",
            dependencies: ["EventLog", "Events", "Replication", "SeededNumbers", "histories"],
            path: "Tests/SimulationTests"),
        .testTarget(
            name: "ConnectionsTests",
            dependencies: ["Connections", "EventLog", "Events", "Replication", "SeededNumbers", nioCore, nioPosix]),
        // The other process of ReplicationTests: it stores objects and is killed, or may not do everything.
        .executableTarget(name: "transport-writer", dependencies: ["Replication"], path: "Tests/TransportWriter"),
        // The call sites of the public interface, compiled and run: they import what an application imports.
        .testTarget(name: "Examples", dependencies: ["Groundwave", "GroundwaveTesting"], path: "Tests/Examples"),
        .testTarget(name: "MeteringTests", dependencies: ["ByteCoding", "Compression", "Metering", "SeededNumbers"]),
        .testTarget(
            name: "RecoveryTests",
            dependencies: ["EventLog", "Events", "LMDB", "Projections", "Recovery", "SeededNumbers"]),
        .testTarget(name: "RadioTests", dependencies: ["ADIF", "Events", "Radio", "Records", "SeededNumbers"]),
        .testTarget(
            name: "GroundwaveTests",
            dependencies: [
                "ADIF", "ByteCoding", "Compression", "EventLog", "Events", "Groundwave", "GroundwaveTesting", "LMDB",
                "Metering", "Projections", "Radio", "Records", "Settings",
            ]),
        .testTarget(
            name: "ProgramTests",
            dependencies: [
                "groundwave-cli", "Events", "Groundwave", "GroundwaveTesting", "Radio", "Records", "SeededNumbers",
            ]),
        // The program as real child processes that are killed, starved and lied to.
        .executableTarget(name: "fault-writer", dependencies: ["Groundwave"], path: "Tests/FaultWriter"),
        .testTarget(
            name: "FaultsTests",
            dependencies: [
                "ByteCoding", "EventLog", "Events", "Groundwave", "GroundwaveTesting", "LMDB", "Projections", "Radio",
                "Records",
            ], path: "Tests/Faults"),
        // What Tools/bench runs. These are of no product: a package that uses ours builds none of them.
        .executableTarget(
            name: "Bench",
            dependencies: [
                "ADIF", "ByteCoding", "EventLog", "Events", "Groundwave", "Metering", "Projections", "Radio", "Records",
            ],
            path: "Tools/Benchmarks/Sources/Bench"),
    ],
    swiftLanguageModes: [.v6]
)

#if os(Linux)
// What Tools/faults runs: it plays the disk by LD_PRELOAD, which is Linux's.
package.targets.append(
    .executableTarget(
        name: "FaultBench",
        dependencies: ["ByteCoding", "EventLog", "Events", "Groundwave", "LMDB", "Metering", "Projections", "Records"],
        path: "Tools/FaultBench/Sources/FaultBench"))
#endif
