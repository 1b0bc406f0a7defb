// swift-tools-version: 6.2
import PackageDescription

// The engine and its suites alone, so that a planted bug costs a build of seconds: Tools/planted-bugs puts this in the
// place of the package's own manifest, in its copy of the tree. With GROUNDWAVE_SUITE it has the suites alone that it
// names, so that a build does not wait for the others: Tools/test --sanitize.

let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")

let package = Package(
    name: "PlantedBugs",
    platforms: [.macOS(.v26)],
    dependencies: [.package(url: "https://github.com/apple/swift-crypto", from: "4.5.2")],
    targets: [
        .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
        .target(name: "CChecksum"),
        .target(name: "ADIF"),
        .target(name: "SeededNumbers"),
        .target(name: "ByteCoding", dependencies: ["CChecksum"]),
        .target(name: "LMDB", dependencies: ["CLMDB"], swiftSettings: [.strictMemorySafety()]),
        .target(name: "Compression", dependencies: ["CZlib", "CZstd"]),
        .target(name: "Events", dependencies: ["ByteCoding", crypto]),
        .target(name: "Records", dependencies: ["ByteCoding", "Events"]),
        .target(name: "EventLog", dependencies: ["ByteCoding", "Compression", "Events", "LMDB"]),
        .target(
            name: "Projections",
            dependencies: ["ByteCoding", "Compression", "EventLog", "Events", "LMDB", "Records", crypto]),
        .target(name: "Replication", dependencies: ["ByteCoding", "EventLog", "Events"]),
        .target(name: "Metering", dependencies: ["ByteCoding", "Compression", "Events", "Records", cryptoExtras]),
        .target(name: "Recovery", dependencies: ["EventLog", "Events", "LMDB", "Projections"]),
        .target(name: "Radio", dependencies: ["ADIF", "ByteCoding", "Events", "Projections", "Records"]),
        .testTarget(name: "SeededNumbersTests", dependencies: ["SeededNumbers"]),
        .testTarget(name: "EventsTests", dependencies: ["ByteCoding", "Events", "SeededNumbers"]),
        .testTarget(name: "RecordsTests", dependencies: ["ByteCoding", "Events", "Records", "SeededNumbers"]),
        .testTarget(
            name: "EventLogTests",
            dependencies: ["ByteCoding", "EventLog", "Events", "LMDB", "Records", "SeededNumbers"]),
        .testTarget(
            name: "ProjectionsTests",
            dependencies: [
                "ByteCoding", "EventLog", "Events", "LMDB", "Projections", "Records", "SeededNumbers", "flip-reader",
            ]),
        .executableTarget(
            name: "flip-reader",
            dependencies: ["ByteCoding", "EventLog", "Events", "LMDB", "Projections", "Records"],
            path: "Tests/FlipReader"),
        .executableTarget(
            name: "histories",
            dependencies: ["ByteCoding", "EventLog", "Events", "LMDB", "Records", "Replication", "SeededNumbers"],
            path: "Tests/Simulation"),
        .testTarget(
            name: "Simulation",
            dependencies: ["EventLog", "Events", "Replication", "SeededNumbers", "histories"],
            path: "Tests/SimulationTests"),
        .testTarget(
            name: "ReplicationTests",
            dependencies: ["ByteCoding", "EventLog", "Events", "Replication", "SeededNumbers", "transport-writer"]),
        .testTarget(name: "MeteringTests", dependencies: ["ByteCoding", "Compression", "Metering", "SeededNumbers"]),
        .testTarget(
            name: "RecoveryTests",
            dependencies: ["EventLog", "Events", "LMDB", "Projections", "Recovery", "SeededNumbers"]),
        .executableTarget(name: "transport-writer", dependencies: ["Replication"], path: "Tests/TransportWriter"),
        .testTarget(name: "RadioTests", dependencies: ["ADIF", "Events", "Radio", "Records", "SeededNumbers"]),
    ],
    swiftLanguageModes: [.v6]
)

if let suites = Context.environment["GROUNDWAVE_SUITE"]?.split(separator: " ").map(String.init) {
    package.targets.removeAll { $0.type == .test && !suites.contains($0.name) }
}

// For the thread sanitizer: a lock that it sees, in the place of the standard library's.
if Context.environment["GROUNDWAVE_SEEN_LOCK"] != nil {
    for target in package.targets where target.type != .system { target.dependencies.append("SeenLock") }
    package.targets.append(.target(name: "SeenLock", path: "Tests/ThreadSanitizer/SeenLock"))
}

// The targets of Tools/fuzz, and no suite. The setting is `fuzzer`, or `fuzzer,address`: with it the engine's modules tell
// libFuzzer which branches an input has reached.
if let checks = Context.environment["GROUNDWAVE_FUZZ"] {
    package.targets.removeAll { $0.type == .test || $0.type == .executable }
    for target in package.targets where target.type == .regular && target.name != "CChecksum" {
        target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-sanitize=\(checks)"])]
    }
    package.targets += [
        .systemLibrary(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"),
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "ADIF", "ByteCoding", "CFuzzer", "Compression", "EventLog", "Events", "LMDB", "Metering", "Projections",
                "Radio",
                "Records", "Replication", "SeededNumbers",
            ], path: "Tests/Fuzz/Fuzz",
            linkerSettings: checks.contains("address") ? [.unsafeFlags(["-sanitize=address"])] : []),
    ]
}
