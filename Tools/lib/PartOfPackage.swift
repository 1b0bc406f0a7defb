// The end of Package.swift in a copy of the tree, which Tools/lib/mirror.py makes.

// What Tools/test builds: the library, and the packages that it uses, optimised, a module at a time; with `coverage` the library
// counts which of its regions run. The suites and programs are not optimised, which takes longer than it saves, and file by file; what the
// compiler would check of its own output takes a tenth of their time. Tools that are run from the other release build are
// left out.
if let measured = Context.environment["GROUNDWAVE_MEASURED"] {
    let counters = measured == "coverage"
    package.targets.removeAll { ["Bench", "FaultBench"].contains($0.name) }
    for target in package.targets {
        switch target.type {
        case .regular:
            let counts = counters ? ["-profile-generate", "-profile-coverage-mapping"] : []
            target.swiftSettings =
                (target.swiftSettings ?? []) + [.unsafeFlags(["-enable-testing", "-DCOUNTS_RECORDS"] + counts)]
            if counters {
                target.linkerSettings = (target.linkerSettings ?? []) + [.unsafeFlags(["-profile-generate"])]
            }
        case .executable, .test:
            let quick = [
                "-Xfrontend", "-Onone", "-enable-testing", "-Xfrontend", "-disable-llvm-verify", "-DCOUNTS_RECORDS",
            ]
            let byFile = ["-no-whole-module-optimization", "-enable-batch-mode", "-incremental"]
            target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(quick + byFile)]
        default: break
        }
    }
}

// The targets of Tools/fuzz. The setting is `fuzzer`, or `fuzzer,address`: with it the engine's modules tell libFuzzer
// which branches an input has reached.
if let checks = Context.environment["GROUNDWAVE_FUZZ"] {
    for target in package.targets where target.type == .regular && target.name != prefix + "CChecksum" {
        let flags = ["-sanitize=\(checks)", "-enable-testing"]
        target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(flags)]
    }
    package.targets += [
        .systemLibrary(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"),
        .executableTarget(
            name: "fuzz",
            dependencies: ["CFuzzer"]
                + ours([
                    "ADIF", "ByteCoding", "Compression", "EventLog", "Events", "LogFormat", "LogRepair",
                    "LoggerMessages", "MeterProtocols", "Metering", "Peering", "Projections", "Radio", "Records",
                    "Replication",
                    "SeededNumbers",
                    "TraceFiles",
                ]), path: "Tests/Fuzz/Fuzz",
            linkerSettings: checks.contains("address") ? [.unsafeFlags(["-sanitize=address"])] : []),
    ]
}

// GROUNDWAVE_TARGETS names the targets that are built: these and what they need. Everything is built if it is not set.
if let targets = Context.environment["GROUNDWAVE_TARGETS"] {
    var wanted = Set(targets.split(separator: " ").map(String.init))
    var packages: Set<String> = []
    var found = 0
    while found < wanted.count + packages.count {
        found = wanted.count + packages.count
        for target in package.targets where wanted.contains(target.name) {
            for dependency in target.dependencies {
                switch dependency {
                case .targetItem(let name, _), .byNameItem(let name, _): wanted.insert(name)
                case .productItem(_, let package, _, _): package.map { _ = packages.insert($0) }
                @unknown default: break
                }
            }
        }
    }
    package.targets.removeAll { !wanted.contains($0.name) }
    package.products = []
    package.dependencies.removeAll { dependency in
        guard case .sourceControl(_, let location, _) = dependency.kind else { return false }
        return !packages.contains { location.hasSuffix("/\($0)") }
    }
}

// A module that all of ours import, by its folder: a lock that the thread sanitizer sees.
if let path = Context.environment["GROUNDWAVE_MODULE"], let name = path.split(separator: "/").last.map(String.init) {
    for target in package.targets where target.type != .system { target.dependencies.append(.byName(name: name)) }
    package.targets.append(.target(name: name, path: path))
}

// The sanitizer of Tools/test --sanitize, `thread` or `address`, in all of ours; the packages that we use have none, so that
// they are the same for Tools/fuzz, which shares the folder of the build, and in every release build. Optimised, or the suites would take an hour; the
// suites themselves are not.
if let sanitizer = Context.environment["GROUNDWAVE_SANITIZE"] {
    for target in package.targets where target.type != .system {
        let flags = ["-sanitize=\(sanitizer)", "-enable-testing"]
        let suite = target.type == .test ? ["-Xfrontend", "-Onone"] : []
        target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(flags + suite)]
        target.cSettings = (target.cSettings ?? []) + [.unsafeFlags(["-fsanitize=\(sanitizer)"])]
        target.linkerSettings = (target.linkerSettings ?? []) + [.unsafeFlags(["-sanitize=\(sanitizer)"])]
    }
}
