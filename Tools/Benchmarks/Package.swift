// swift-tools-version: 6.2
import PackageDescription

// The benchmarks: a package of its own, so that nobody who uses the library builds them. See README.md beside this file.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v26)],
    dependencies: [.package(name: "Groundwave", path: "../..")],
    targets: [
        .executableTarget(
            name: "Bench",
            dependencies: [
                .product(name: "Groundwave", package: "Groundwave"),
                .product(name: "GroundwaveEngine", package: "Groundwave"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
