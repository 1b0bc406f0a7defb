import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveRecords

extension RecordState {
    /// Folds the event in `bytes`, whose checksum was looked at.
    ///
    /// An event that cannot be read leaves the state as it was.
    ///
    /// - Parameter stamp: What the event counts with; its own one, unless its clock is corrected.
    mutating func fold(
        _ frame: Frame, in bytes: RawSpan, stamp: Stamp, position: Position, names: inout Names
    ) throws(ChangeError) {
        let shape = bytes.extracting(frame.shape)
        let values = bytes.extracting(frame.values)
        // A change is read to its end before any of it counts.
        var check = try ChangeReader(shape: shape, isWithheld: frame.isWithheld, by: frame.names(in: bytes))
        try check.validate(shape: shape, values: values)
        var reader = try ChangeReader(shape: shape, isWithheld: frame.isWithheld, by: frame.names(in: bytes))
        try reader.skipNote(in: values)
        try fold(
            &reader, shape: shape, values: values, event: frame.id, stamp: stamp, position: position, names: &names)
    }
}
