import Foundation

/// What a few lines of Python say of some values: a witness that shares no code with ours.
public enum Witness {
    /// Runs lines of Python in which `given` is a list of texts, and returns the texts of the list `said`, in which `None` is
    /// `nil`.
    public static func texts(_ lines: String, of given: [String]) async throws -> [String?] {
        try await onOwnThread {
            let process = Process()
            let (input, output) = (Pipe(), Pipe())
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = [
                "python3", "-c",
                "import json, sys\ngiven = json.load(sys.stdin)\n\(lines)\njson.dump(said, sys.stdout)",
            ]
            process.standardInput = input
            process.standardOutput = output
            try process.run()
            try input.fileHandleForWriting.write(contentsOf: try JSONSerialization.data(withJSONObject: given))
            try input.fileHandleForWriting.close()
            let data = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            guard let said = try JSONSerialization.jsonObject(with: data) as? [Any], said.count == given.count else {
                throw ServerProcess.Failure(description: "The witness does not answer.")
            }
            return said.map { $0 as? String }
        }
    }
}
