import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveRecovery
import GroundwaveStore

extension Store {
    /// Notes on the receipt of the last recovery what has come back since.
    func noteReturned() throws {
        let recovery = RecoveryFiles(files.folder)
        guard let (path, old) = recovery.lastReceiptFile else { return }
        let lost = EventSet(try log.holes())
        var receipt = old
        receipt.returned = EventSet(old.lost.compactMap(\.events)).subtracting(lost).count
        if receipt != old { try receipt.write(to: path) }
    }
}
