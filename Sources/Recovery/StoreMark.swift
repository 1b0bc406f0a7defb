import Foundation
import Synchronization

/// The mark of an open store; a suspended one has none.
package final class StoreMark: Sendable {
    private let mark: Mutex<OpenMark?>

    package init(_ mark: OpenMark?) { self.mark = Mutex(mark) }

    /// Marks the store in `folder` as open.
    package func renew(_ folder: URL, in stateFolder: URL) { mark.withLock { $0 = OpenMark(folder, in: stateFolder) } }

    /// Removes the mark: the store was closed, or suspended.
    package func remove() { mark.withLock { $0 }?.remove() }

    /// Leaves it as a killed process would: see ``OpenMark/abandon()``.
    package func abandon() { mark.withLock { $0 }?.abandon() }
}
