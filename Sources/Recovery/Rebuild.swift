import EventLog
import Events
import Foundation
import LMDB
import Projections

/// Makes a fresh log from what can be salvaged of a damaged one, beside it, and says what was lost.
///
/// Safe to stop anywhere and to start again: the log has its name only when it is whole and was verified, and the
/// receipt is written behind it.
package struct Rebuild: Sendable {
    /// What somebody else knows of how much the damaged log had.
    package struct Witness: Hashable, Sendable {
        /// `token`, `views`, `snapshots` or `peers`.
        package let name: String
        package let vector: VersionVector
        /// How many positions it had, where that is known.
        package let positions: UInt64
        /// Whether it knows of the end, and there was nothing after it.
        package let isFinal: Bool

        package init(
            name: String, vector: VersionVector = VersionVector(), positions: UInt64 = 0, isFinal: Bool = false
        ) {
            (self.name, self.vector, self.positions, self.isFinal) = (name, vector, positions, isFinal)
        }
    }

    /// The name of the log, where the file does not say it any more.
    package var log: LogID
    package var witnesses: [Witness]
    package var arrival: Arrival
    package var epoch: UInt64

    package init(log: LogID, witnesses: [Witness], arrival: Arrival, epoch: UInt64) {
        (self.log, self.witnesses, self.arrival, self.epoch) = (log, witnesses, arrival, epoch)
    }

    /// Makes the log at `path` from what `salvage` has found, and returns the receipt.
    ///
    /// - Parameters:
    ///   - source: What the damaged file is called in the receipt.
    ///   - snapshot: One that shall stand for everything up to its vector; and its bytes.
    /// - Throws: `LMDBError` where the log cannot be written; ``NotWhole`` where the disk gives back something else than
    ///   was written.
    package func run(
        _ salvage: Salvage, source: String, to path: String, snapshot: SnapshotInformation? = nil,
        bytes: [UInt8] = []
    ) throws -> Receipt {
        let start = ContinuousClock.now
        var salvage = salvage
        var names = ["file"]
        for witness in witnesses {
            salvage.expect(witness.vector, positions: witness.positions)
            names.append(witness.name)
        }
        if let snapshot { salvage.expect(snapshot.vector) }
        let missing = salvage.missing
        let pieces = stride(from: 0, to: bytes.count, by: LogBase.pieceSize).map {
            Array(bytes[$0..<Swift.min($0 + LogBase.pieceSize, bytes.count)])
        }
        // What an earlier try left: it may not have been verified.
        for path in [path, path + "-lock"] { try DurableFile.remove(path) }
        let written = try salvage.write(
            to: path, log: log, epoch: epoch, arrival: arrival, missing: missing,
            snapshot: snapshot.map { ($0.vector, pieces) })
        let report = try LogVerifier.verify(path: path)
        let unexpected = report.damage.filter { $0.what != .hole }
        guard unexpected.isEmpty, report.events == UInt64(written.events) else {
            throw NotWhole(damage: unexpected.first?.detail ?? "\(report.events) of \(written.events) events are there")
        }
        // Each of the three is counted by itself: the log that was written, what it says is lost, what there was.
        let lost = missing.reduce(0) { $0 + $1.count } + salvage.unnamedCount
        guard report.events + lost == salvage.appendedCount else {
            throw NotWhole(
                damage: "\(report.events) recovered and \(lost) lost do not add up to \(salvage.appendedCount)")
        }
        let duration = ContinuousClock.now - start
        return Receipt(
            at: Date(timeIntervalSince1970: Double(arrival.wallMilliseconds / 1000)), source: source,
            appended: salvage.appendedCount, recovered: report.events,
            lost: missing.map(Receipt.Range.init),
            unnamed: salvage.unnamedCount, isAtLeast: !salvage.isEndKnown && !witnesses.contains { $0.isFinal },
            witnesses: names,
            isBaseLost: written.isBaseLost,
            seconds: Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18)
    }

    /// A log that was just written is not what was written.
    package struct NotWhole: Error, Hashable, CustomStringConvertible {
        let damage: String
        package var description: String { "The rebuilt log does not match what was written: \(damage)." }
    }
}
