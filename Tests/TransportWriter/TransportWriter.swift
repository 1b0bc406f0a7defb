// The other process of the tests of transports: transport-writer VERB FOLDER.
//
// - `put`: stores one object after another and says the name of each when it is stored, until it is killed.
// - `put-unprivileged`, `get-unprivileged`: does one of them as a user who may not do everything, and says what came of
//   it.

import Foundation
import GroundwaveReplication

@main
enum TransportWriter {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { exit(64) }
        let transport = FolderTransport(URL(filePath: arguments[2]))
        switch arguments[1] {
        case "put":
            for number in 0... {
                let name = ObjectName("folder/\(number)")!
                let outcome = try await transport.putIfAbsent(name, content(of: number))
                say("\(name) \(outcome)")
            }
        case "put-unprivileged":
            guard dropPrivileges() else { exit(67) }
            await sayWhatComes { try await "\(transport.putIfAbsent(ObjectName("folder/new")!, [1]))" }
        case "get-unprivileged":
            guard dropPrivileges() else { exit(67) }
            await sayWhatComes { try await "\(transport.get(ObjectName("folder/old")!, range: nil, limit: 100)!)" }
        default:
            exit(64)
        }
    }

    /// Bytes of which any part missing would be noticed: 200,000 times the number, and then its length.
    private static func content(of number: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(number % 251), count: 200_000 + number % 100) + [UInt8(number % 100)]
    }

    private static func dropPrivileges() -> Bool { geteuid() != 0 || setgid(65534) == 0 && setuid(65534) == 0 }

    private static func sayWhatComes(_ body: @Sendable () async throws -> String) async {
        do { say(try await body()) } catch let error as TransportError {
            switch error {
            case .notPermitted: say("notPermitted")
            default: say("\(error)")
            }
        } catch { say("\(error)") }
    }

    private static func say(_ text: String) { try? FileHandle.standardOutput.write(contentsOf: Data("\(text)\n".utf8)) }
}
