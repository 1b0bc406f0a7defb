import Foundation
import GroundwaveLogbook
import GroundwaveTesting
import Testing

/// The configuration of each process of an app group: all of them need one state folder.
func configuration(sharedIn container: URL) -> Configuration {
    Configuration(
        author: "N0CALL", stateFolder: container.appending(path: "Library/Application Support/groundwave/state"))
}

/// Suspends the store each time that the application goes to the background.
func suspend(_ store: Store, whileIn background: AsyncStream<Bool>) async throws {
    for await isInBackground in background where isInBackground { try await store.suspend() }
}

/// The code of Docs/Platforms.md, compiled and run.
@Suite struct `The page about platforms` {
    @Test func `shows a store of a group that is suspended in the background`() async throws {
        let base = try TemporaryFolder()
        let configuration = configuration(sharedIn: base.url)
        let store = try await Store.create(at: base.url.appending(path: "store"), configuration)
        let (phases, phase) = AsyncStream.makeStream(of: Bool.self)
        let suspending = Task { try await suspend(store, whileIn: phases) }
        phase.yield(false)
        phase.yield(true)
        phase.finish()
        try await suspending.value
        #expect(try store.read { $0.position } > 0)
        #expect(configuration.stateFolder.path.hasPrefix(base.url.path))
        #expect(configuration.dataProtection == .untilFirstUnlock)
        try store.close()
    }

    @Test func `has the code of this file`() throws {
        let this = URL(filePath: #filePath)
        let page = try String(
            contentsOf: this.appending(path: "../../../Docs/Platforms.md").standardized, encoding: .utf8)
        let code = Self.lines(of: try String(contentsOf: this, encoding: .utf8))
        let snippets = page.components(separatedBy: "```swift\n").dropFirst().map {
            Self.lines(of: $0.components(separatedBy: "```")[0])
        }
        #expect(snippets.count == 2)
        for snippet in snippets { #expect(code.contains(snippet), "\(snippet)") }
    }

    /// The lines of a text, without their indentation.
    private static func lines(of text: String) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }
}
