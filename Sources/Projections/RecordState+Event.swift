import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveRecords

extension RecordState {
    /// Folds the event in `bytes`, whose checksum was verified, into the state of `record`.
    ///
    /// An event that cannot be read leaves the state unchanged.
    ///
    /// - Parameter stamp: The stamp to use: that of the event, unless its clock is corrected.
    mutating func fold(
        _ frame: Frame, of record: RecordID, in bytes: RawSpan, stamp: Stamp, position: Position, names: inout Names
    ) throws(ChangeError) {
        let shape = bytes.extracting(frame.shape)
        let values = bytes.extracting(frame.values)
        var reader = try ChangeReader(shape: shape, isWithheld: frame.isWithheld, by: frame.names(in: bytes))
        // Validate the whole change before applying any of it.
        var check = reader
        try check.validate(shape: shape, values: values)
        try reader.skipNote(in: values)
        try fold(
            &reader, of: record, shape: shape, values: values, event: frame.id, stamp: stamp, position: position,
            names: &names)
    }
}

extension Frame {
    /// Whether the event says anything of `record`: see ``GroundwaveRecords/ChangeReader/affects(_:shape:values:)``.
    package func affects(_ record: RecordID, in bytes: RawSpan) -> Bool {
        let (shape, values) = (bytes.extracting(shape), bytes.extracting(values))
        let reader = try? ChangeReader(shape: shape, isWithheld: isWithheld, by: names(in: bytes))
        return reader?.affects(record, shape: shape, values: values) ?? false
    }
}
