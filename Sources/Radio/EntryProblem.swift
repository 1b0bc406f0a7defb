/// The reason why a user's input was refused, worded for the user.
public struct EntryProblem: Error, Hashable, Sendable {
    /// The problem.
    public let message: String
    /// The remedy, if there is one.
    public let hint: String?

    /// Creates a problem.
    public init(_ message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }
}
