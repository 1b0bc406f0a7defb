import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveLogRepair
import GroundwaveProjections

/// Rebuilds a log from the salvaged events of a damaged one, in a separate file, and reports what was lost.
///
/// It may be interrupted at any point and started again: the log gets its name only when it is complete, and the
/// receipt is written after the log was verified.
package struct Rebuild: Sendable {
    /// What another source knows of the size of the damaged log.
    package struct Witness: Hashable, Sendable {
        /// `token`, `views`, `snapshots` or `peers`.
        package let name: String
        package let vector: VersionVector
        /// The number of positions that the log had; 0 if unknown.
        package let positions: UInt64
        /// Whether the source knows the end of the log, so that nothing came after it.
        package let isFinal: Bool

        package init(
            name: String, vector: VersionVector = VersionVector(), positions: UInt64 = 0, isFinal: Bool = false
        ) {
            (self.name, self.vector, self.positions, self.isFinal) = (name, vector, positions, isFinal)
        }
    }

    /// The id of the log, if the file does not contain it any more.
    package var log: LogID
    package var witnesses: [Witness]
    package var arrival: Arrival
    package var epoch: UInt64

    package init(log: LogID, witnesses: [Witness], arrival: Arrival, epoch: UInt64) {
        (self.log, self.witnesses, self.arrival, self.epoch) = (log, witnesses, arrival, epoch)
    }

    /// Writes the log at `path` from the events of `salvage`, verifies it, and returns the receipt.
    ///
    /// - Parameters:
    ///   - source: The name of the damaged file in the receipt.
    ///   - snapshot: A snapshot that replaces everything up to its vector; `bytes` are its content.
    /// - Throws: `LMDBError` if the log cannot be written; ``NotWhole`` if the log fails its verification.
    package func run(
        _ salvage: Salvage, source: String, to path: String, snapshot: SnapshotInformation? = nil,
        bytes: [UInt8] = []
    ) throws -> Receipt {
        let start = ContinuousClock.now
        var salvage = salvage
        var names = salvage.byteCount > 0 ? ["file"] : []
        for witness in witnesses {
            salvage.expect(witness.vector, positions: witness.positions)
            names.append(witness.name)
        }
        if let snapshot { salvage.expect(snapshot.vector) }
        let missing = salvage.missing
        let pieces = stride(from: 0, to: bytes.count, by: LogBase.pieceSize).map {
            Array(bytes[$0..<Swift.min($0 + LogBase.pieceSize, bytes.count)])
        }
        // Files of an earlier attempt may not have been verified.
        for path in [path, path + "-lock"] { try DurableFile.remove(path) }
        let written = try salvage.write(
            to: path, log: log, epoch: epoch, arrival: arrival, missing: missing,
            snapshot: snapshot.map { ($0.vector, pieces) })
        let report = try LogVerifier.verify(path: path)
        let unexpected = report.damage.filter { $0.what != .lostRange }
        guard unexpected.isEmpty, report.events == UInt64(written.events) else {
            throw NotWhole(damage: unexpected.first?.detail ?? "\(report.events) of \(written.events) events are there")
        }
        // The three counts are independent: events in the new log, lost events, and events there were.
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

    /// A log that was just written failed its verification.
    package struct NotWhole: Error, Hashable, CustomStringConvertible {
        let damage: String
        package var description: String { "The rebuilt log does not match what was written: \(damage)." }
    }
}
