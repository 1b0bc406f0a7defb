import Foundation
import Testing

/// The articles of the catalogue of DocC: each has its code in a file of the same name in this folder.
@Suite struct `The articles of the catalogue` {
    private static let folder = "Sources/Groundwave/Groundwave.docc"

    private static let snippets = [
        "FirstStore": 8, "Groundwave": 0, "KindsOfRecords": 1, "Observing": 3, "PerformanceAndThreads": 2,
        "RecoveryScreen": 2, "Store": 0, "Synchronising": 5, "TestingApplications": 4, "TimeTravel": 3,
    ]

    @Test(arguments: snippets)
    func `have their code in a test`(_ article: String, _ count: Int) throws {
        let snippets = try Snippets(of: "\(Self.folder)/\(article).md")
        #expect(snippets.snippets.count == count)
        if count > 0 { try snippets.expect(in: "Tests/Examples/Catalogue/\(article).swift") }
    }

    @Test func `are all held to their code`() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Snippets.url(of: Self.folder).path)
        #expect(files.sorted() == Self.snippets.keys.map { "\($0).md" }.sorted())
    }
}
