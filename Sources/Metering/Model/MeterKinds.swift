import GroundwaveEvents
import GroundwaveRecords

/// The record kinds of power meters: the meters themselves, and the traces recorded with them.
public enum Metering {
    /// All kinds of this domain.
    public static let allKinds: [KindSchema] = [meter, trace, capture, marker, stretch, calibration]

    /// A meter. Its id is derived from its address, so two devices that see the same meter share one record of it.
    ///
    /// `SAMPLES` tells whether the samples of its traces are synced: see ``SampleSharing``.
    public static let meter = KindSchema(
        name: "meter",
        fields: [
            FieldSchema(1, "MAC"), FieldSchema(2, "NAME"), FieldSchema(3, "MODEL"),
            FieldSchema(4, "TEMPERATURE_UNIT"), FieldSchema(5, "LEASE", .lease), FieldSchema(6, "SAMPLES"),
        ])

    /// A trace: the recording of one meter from one start to one end. Its rows are its series.
    ///
    /// `STARTED` and `ENDED` are milliseconds since 1970. `END` tells how it ended: see ``TraceEnd``. `RATE` is the
    /// number of rows per second, for inputs without times. `STOPPED_BY` is the condition that ended it. `SAMPLES` tells whether its samples are synced and takes
    /// precedence over that of its meter: see ``SampleSharing``.
    public static let trace = KindSchema(
        name: "trace",
        fields: [
            FieldSchema(1, "METER"), FieldSchema(2, "MODEL"), FieldSchema(3, "NAME"), FieldSchema(4, "STARTED"),
            FieldSchema(5, "ENDED"), FieldSchema(6, "END"), FieldSchema(7, "LINK"), FieldSchema(8, "SOURCE"),
            FieldSchema(9, "SAMPLES"), FieldSchema(10, "RATE"), FieldSchema(11, "STOPPED_BY"),
        ], series: series,
        indexes: [IndexSchema(1, "started")],
        indexEntries: { values, entries in entries.add(values.value(4) ?? [], to: 1) })

    /// The bytes exchanged with the meter in both directions while a trace was recorded, if requested. See
    /// ``Capture``.
    public static let capture = KindSchema(name: "capture", fields: [FieldSchema(1, "TRACE")])

    /// A description of a moment of a trace, by a person. `TIME` is in milliseconds since 1970.
    public static let marker = KindSchema(
        name: "marker", fields: [FieldSchema(1, "TRACE"), FieldSchema(2, "TIME"), FieldSchema(3, "TEXT")])

    /// A stretch of a trace that is not shown: its rows with a time from `FROM` up to `TO`, in milliseconds since 1970.
    ///
    /// `ERASED` is 1 if they were erased for ever. `REPLACED` names the events of the blocks that lay across an edge then:
    /// what is left of their rows is in later blocks.
    public static let stretch = KindSchema(
        name: "stretch",
        fields: [
            FieldSchema(1, "TRACE"), FieldSchema(2, "FROM"), FieldSchema(3, "TO"), FieldSchema(4, "ERASED"),
            FieldSchema(5, "REPLACED"),
        ])

    /// The calibration of a channel: of one trace, or of the traces of a meter whose first row is at `FROM` or later, in
    /// milliseconds since 1970, or of all if there is no `FROM`. `UNIT` is that of the channel. `FACTOR` and `OFFSET` are
    /// decimal numbers, see ``ChannelCorrection``, and one fact, so they are written together.
    public static let calibration = KindSchema(
        name: "calibration",
        fields: [
            FieldSchema(1, "TRACE"), FieldSchema(2, "METER"), FieldSchema(3, "FROM"), FieldSchema(4, "CHANNEL"),
            FieldSchema(5, "UNIT"), FieldSchema(6, "CORRECTION", members: ["FACTOR", "OFFSET"]),
        ])

    /// Cells of 65,536 rows and more; each holds the joined summary of its blocks.
    static let series = SeriesSchema(
        itemsPerCell: UInt64(SampleBlock.rowLimit) * 16, levelCount: 4,
        add: { summary, cell in
            var joined = JoinedSummary()
            if let cell {
                guard let known = try? cell.withSpan({ try JoinedSummary($0) }) else { return nil }
                joined = known
            }
            if let block = try? BlockSummary(summary) {
                joined.append(JoinedSummary(block))
            } else {
                joined.addUnread()
            }
            return joined.bytes
        })

    /// Returns the id of the record of the meter with this address.
    public static func meterID(_ address: MACAddress) -> RecordID { derivedID(meter, "\(address)") }

    /// Returns the id of the capture of a trace.
    public static func captureID(_ trace: RecordID) -> RecordID { derivedID(capture, "\(trace)") }

    /// Returns the id of the calibration of the channel `name` in `unit`, of `target`: the id of a trace, or the address of
    /// a meter and behind an `@` the number of its `FROM`, if it has one. Two devices that calibrate the same meet in one record.
    public static func calibrationID(_ target: String, _ name: String, _ unit: Channel.Unit) -> RecordID {
        derivedID(calibration, "\(target)\u{0}\(name)\u{0}\(unit.rawValue)")
    }

    private static func derivedID(_ kind: KindSchema, _ name: String) -> RecordID {
        let hash = [UInt8]("\(kind.name)\u{0}\(name)".utf8).withSpan { Hash256(hashing: $0) }
        return RecordID(high: hash.id.high, low: hash.id.low)
    }
}

/// The way in which a trace ended.
public enum TraceEnd: String, Hashable, Sendable, CaseIterable {
    /// The recording was ended on request.
    case finished
    /// The recording process died first; the rows that it had made durable were appended to the log afterwards.
    case interrupted
    /// Recording stopped by itself: the disk was full, or the meter was disconnected.
    case stopped
}

/// Whether samples are synced between devices. Their summaries always are.
public enum SampleSharing: String, Hashable, Sendable, CaseIterable {
    /// Samples are synced to every device.
    case synced
    /// Samples stay on the device that recorded them.
    case local
}
