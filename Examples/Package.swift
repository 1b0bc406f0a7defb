// swift-tools-version: 6.2
import PackageDescription

// An application for each product of Groundwave, which imports that product alone, and two samples of good use. Tools/examples
// builds and runs them, and says what each one made the compiler build.

/// An application that imports one product.
func app(_ name: String, _ product: String, _ others: [Target.Dependency] = []) -> Target {
    .executableTarget(name: name, dependencies: [.product(name: product, package: "Groundwave"), "Check"] + others)
}

let package = Package(
    name: "Examples",
    platforms: [.macOS(.v26)],
    dependencies: [.package(name: "Groundwave", path: "..")],
    targets: [
        .target(name: "Check"),
        // Modules of an application's own, which have the names of two of Groundwave's.
        .target(name: "Settings"),
        .target(name: "Events"),
        app("EngineApp", "Groundwave", ["Settings", "Events"]),
        app("LogbookApp", "GroundwaveLogbook"),
        app("MeterApp", "GroundwaveMeters"),
        app("NetworkApp", "GroundwaveNetwork"),
        app("ObjectStoreApp", "GroundwaveObjectStore"),
        app("DatabaseApp", "GroundwaveSQLite"),
        app("TestingApp", "GroundwaveTesting"),
        app("ServiceBook", "Groundwave"),
        app("LogbookList", "GroundwaveLogbook"),
    ],
    swiftLanguageModes: [.v6]
)
