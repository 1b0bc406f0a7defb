import GroundwaveEventLog
import GroundwaveMDBPages

extension StoreError {
    /// Creates the error for a file whose pages could not be read.
    package init(pageFile error: PageFileError, path: String) {
        self.init(system: error.code, "\(path) cannot be read", cause: error)
    }
}
