import Foundation
import GroundwaveLMDB

extension StoreError {
    /// Converts an error of LMDB. Its description already names the file and what helps.
    package init(lmdb error: LMDBError) {
        switch error.reason {
        case .system(let errno):
            self.init(system: errno, "\(error.path): could not \(error.operation.rawValue)", cause: error)
            return
        case .inputOutput(let errno) where errno != EIO:
            self.init(system: errno, "\(error.path): could not \(error.operation.rawValue)", cause: error)
            return
        default: break
        }
        let code: Code =
            switch error.reason {
            case .missing: .notFound
            case .empty, .truncated, .notLMDB, .versionMismatch, .damaged: .damaged
            case .exists: .exists
            case .locked, .readersFull, .inUse: .busy
            case .permission, .readOnly, .readOnlyFileSystem: .notPermitted
            case .diskFull, .inputOutput, .mustReopen, .mapFull: .inputOutput
            default: .bug
            }
        self.init(
            code, error.description, hint: code == .damaged ? "To see what can be done: \(.showRecovery)" : nil,
            cause: error)
    }
}
