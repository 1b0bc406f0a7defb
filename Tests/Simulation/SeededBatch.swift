import GroundwaveByteCoding
import GroundwaveEvents

extension DraftBatch {
    /// `count` events that no two seeds share and that mean nothing.
    static func seeded(_ seed: UInt64, count: Int = 1) -> DraftBatch {
        var batch = DraftBatch()
        for index in 0..<count {
            batch.append(
                shape: { $0.append(littleEndian: seed) },
                values: { writer in
                    writer.append(littleEndian: seed)
                    writer.append(varint: index)
                })
        }
        return batch
    }
}
