import EventLog

extension StoreError {
    /// A file that could not be opened to be read page by page.
    init(pageFile error: PageFileError, path: String) {
        self.init(
            .inputOutput, "\(path) cannot be read: \(error).", hint: "Check that it exists and may be read.",
            cause: error)
    }
}
