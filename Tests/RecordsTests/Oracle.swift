import Foundation

/// The executable model of the merge: `records.py`, in the folder `../shared/model` beside this package.
enum Oracle {
    /// The model beside the package, or beside a folder around it, where this is a copy within a copy.
    static let script: URL? = {
        var folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        while folder.path != "/" {
            folder = folder.deletingLastPathComponent()
            let script = folder.appending(path: "../shared/model/records.py").standardizedFileURL
            if FileManager.default.isReadableFile(atPath: script.path) { return script }
        }
        return nil
    }()

    /// Why the model cannot be asked here, or `nil` where it can.
    static let absence: String? = {
        if script == nil { return "there is no ../shared/model/records.py beside the package" }
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let hasPython = folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/python3") }
        return hasPython ? nil : "no python3 in PATH"
    }()

    /// One record as the model prints it.
    struct State: Decodable, Equatable {
        struct Field: Decodable, Equatable {
            var shown: String?
            var heads: [Head]
        }
        struct Head: Decodable, Equatable {
            var event: Int
            var value: String?

            init(event: Int, value: String?) {
                self.event = event
                self.value = value
            }

            init(from decoder: Decoder) throws {
                var pair = try decoder.unkeyedContainer()
                event = try pair.decode(Int.self)
                value = try pair.decodeNil() ? nil : pair.decode(String.self)
            }
        }
        var record: String
        var visible: Bool
        var deletes: [Int]
        var fields: [String: Field]
    }

    /// Folds lines of NDJSON in a process of its own.
    static func fold(_ lines: String) throws -> [State] {
        try JSONDecoder().decode([State].self, from: run(script!, lines))
    }

    /// What a model prints of lines of NDJSON.
    static func run(_ script: URL, _ lines: String) throws -> Data {
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", script.path]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        // The model prints nothing before it has read everything, so neither side can wait for the other.
        try input.fileHandleForWriting.write(contentsOf: Data(lines.utf8))
        try input.fileHandleForWriting.close()
        let answer = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return answer
    }
}
