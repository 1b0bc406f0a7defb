import EventLog

extension StoreError {
    /// Creates the error for a file whose pages could not be read.
    init(pageFile error: PageFileError, path: String) {
        self.init(system: error.code, "\(path) cannot be read", cause: error)
    }
}
