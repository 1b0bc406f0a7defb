/// Why something that a person entered makes no sense, in words for that person.
public struct EntryProblem: Error, Hashable, Sendable {
    /// What is wrong.
    public let message: String
    /// What helps.
    public let hint: String?

    /// A problem of these parts.
    public init(_ message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }
}
