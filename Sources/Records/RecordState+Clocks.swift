import GroundwaveEvents

extension RecordState {
    /// The declarations among the elements of the field for them, if this is the record of a replica.
    package var clockDeclarations: [ClockDeclaration] {
        heads.compactMap { head in
            guard head.field == ClockDeclaration.field, head.code == .add, !head.isWithheld else { return nil }
            return ClockDeclaration(reading: values[head.value])
        }
    }

    /// Returns since when a source says something that was written at `stamp`: it spoke first then at the latest, whatever the
    /// clock said. A source that speaks last of all, since the end of time, still does.
    static func since(_ since: Stamp, writtenAt stamp: Stamp) -> Stamp {
        since.rawValue == .max ? since : Swift.min(since, stamp)
    }

    /// Gives what the event `sequence` of `replica`, a local number, wrote the stamp that counts for it now.
    package mutating func restamp(_ replica: UInt32, _ sequence: SequenceNumber, _ stamp: Stamp) {
        for index in writers.indices where writers[index].replica == replica && writers[index].sequence == sequence {
            writers[index].stamp = stamp
            for head in heads.indices where Int(heads[head].writer) == index {
                heads[head].since = heads[head].since.map { Self.since($0, writtenAt: stamp) }
            }
        }
        for index in assertions.indices
        where assertions[index].replica == replica && assertions[index].sequence == sequence {
            assertions[index].stamp = stamp
        }
    }
}
