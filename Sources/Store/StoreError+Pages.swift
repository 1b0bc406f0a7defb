import GroundwaveEventLog
import GroundwaveMDBPages

extension StoreError {
    /// A file that could not be opened to be read page by page.
    package init(pageFile error: PageFileError, path: String) {
        self.init(system: error.code, "\(path) cannot be read", cause: error)
    }
}
