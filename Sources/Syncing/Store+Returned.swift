import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveRecovery
import GroundwaveStore

extension Store {
    /// Updates the receipt of the last recovery with the number of events that have come back since.
    func noteReturned() throws {
        let recovery = RecoveryFiles(files.folder)
        guard let (path, old) = recovery.lastReceiptFile else { return }
        let lost = EventSet(try log.lostRanges())
        var receipt = old
        receipt.returned = EventSet(old.lost.compactMap(\.events)).subtracting(lost).count
        if receipt != old { try receipt.write(to: path) }
    }
}
