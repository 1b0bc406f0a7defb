import Foundation

/// The program in a separate process, on one of the stores in a folder.
final class Child {
    private let process = Process()
    private let output = Pipe()

    init(_ program: String, _ arguments: [String], _ folder: URL, _ store: String) throws {
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.environment = ProcessInfo.processInfo.environment.merging([
            "GROUNDWAVE_STORE": folder.appending(path: store).path,
            "GROUNDWAVE_STATE": folder.appending(path: "state").path,
        ]) { $1 }
        try process.run()
    }

    /// The port on which the program reports that it listens. Later output is read and dropped, so that it never
    /// blocks.
    func port() throws -> Int {
        var text = ""
        while !text.contains("\n") {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { throw Failure("the program ended: \(text)") }
            text += String(decoding: data, as: UTF8.self)
        }
        output.fileHandleForReading.readabilityHandler = { _ = $0.availableData }
        let object = try JSONSerialization.jsonObject(with: Data(text.prefix { $0 != "\n" }.utf8)) as? [String: Any]
        guard let address = object?["address"] as? String,
            let port = address.split(separator: ":").last.flatMap({ Int($0) })
        else { throw Failure("no address: \(text)") }
        return port
    }

    func end() {
        output.fileHandleForReading.readabilityHandler = nil
        process.terminate()
        process.waitUntilExit()
    }
}
