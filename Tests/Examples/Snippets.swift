import Foundation
import Testing

/// The Swift code of a page or article, which must be in a file that is compiled and run.
struct Snippets {
    /// The lines of each snippet, without their indentation.
    let snippets: [[String]]
    private let name: String

    /// The snippets of the page `name`, a path in the repository.
    init(of name: String) throws {
        self.name = name
        snippets = try Self.text(of: name).components(separatedBy: "```swift\n").dropFirst()
            .map { Self.lines(of: $0.components(separatedBy: "```")[0]) }
    }

    /// Expects that each snippet is in `file`, a path in the repository, line by line.
    func expect(in file: String) throws {
        let code = Self.lines(of: try Self.text(of: file))
        for snippet in snippets { #expect(code.contains(snippet), "\(name): \(snippet)") }
    }

    /// Where the file `name` of the repository is.
    static func url(of name: String) -> URL {
        URL(filePath: #filePath).appending(path: "../../../\(name)").standardized
    }

    private static func text(of name: String) throws -> String {
        try String(contentsOf: url(of: name), encoding: .utf8)
    }

    private static func lines(of text: String) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }
}
