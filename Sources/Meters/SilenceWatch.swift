import GroundwaveMeterProtocols
import GroundwaveMetering

/// Notices that a meter gives no rows, once for each silence of three seconds or more.
package struct SilenceWatch: Sendable {
    /// What came while no row did.
    package struct Silence: Hashable, Sendable {
        /// The number of bytes that came.
        package let byteCount: Int
        /// The models that send such bytes, except the one that is recorded; empty if there is none.
        package let models: [MeterModel]
    }

    /// The time without a row after which a silence is told, in milliseconds.
    package static let leastMilliseconds: Int64 = 3_000
    // The most bytes that are kept for a guess: ten frames and more of any meter but the KM003C.
    private static let keptByteCount = 4_096

    /// The number of silences so far.
    package private(set) var count = 0

    private let model: MeterModel
    private var since: Int64
    private var isTold = false
    private var byteCount = 0
    private var bytes: [UInt8] = []

    /// Begins to watch a recording of `model` at `start`, in milliseconds of a clock that cannot be set.
    package init(_ model: MeterModel, at start: Int64) { (self.model, since) = (model, start) }

    /// Takes note of a step that ended at `present`, by the clock of the beginning.
    ///
    /// - Returns: The silence, at the first step at which it has lasted three seconds; `nil` else.
    package mutating func next(_ step: MeterFeed.Step, at present: Int64) -> Silence? {
        guard step.rows.runs.isEmpty else {
            (since, isTold, byteCount, bytes) = (present, false, 0, [])
            return nil
        }
        for piece in step.pieces where piece.direction == .received {
            byteCount += piece.bytes.count
            bytes = Array((bytes + piece.bytes).suffix(Self.keptByteCount))
        }
        guard !isTold, present - since >= Self.leastMilliseconds else { return nil }
        (isTold, count) = (true, count + 1)
        let others = MeterModel.candidates(for: bytes).filter { $0 != model }
        return Silence(byteCount: byteCount, models: others)
    }
}
