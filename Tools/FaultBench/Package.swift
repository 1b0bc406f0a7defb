// swift-tools-version: 6.2
import PackageDescription

// The fault bench: a package of its own, so that nobody who uses the library builds it. Tools/faults runs it.
let package = Package(
    name: "FaultBench",
    platforms: [.macOS(.v26)],
    products: [
        .executable(name: "FaultBench", targets: ["FaultBench"]),
        // Loaded before the C library into the processes of the bench, by LD_PRELOAD.
        .library(name: "faults", type: .dynamic, targets: ["Shim"]),
    ],
    dependencies: [.package(name: "Groundwave", path: "../..")],
    targets: [
        .target(name: "Shim", path: "shim"),
        .executableTarget(
            name: "FaultBench",
            dependencies: [
                .product(name: "Groundwave", package: "Groundwave"),
                .product(name: "GroundwaveEngine", package: "Groundwave"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
