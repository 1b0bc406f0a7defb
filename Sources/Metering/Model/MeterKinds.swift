import GroundwaveEvents
import GroundwaveRecords

/// What the store keeps of power meters: the meters themselves, and the traces that were recorded with them.
public enum Metering {
    /// All kinds of this domain.
    public static let allKinds: [KindSchema] = [meter, trace, capture]

    /// A meter. Its id is derived from its address: two devices that meet one meter have one record of it.
    ///
    /// `SAMPLES` says whether the samples of its traces travel: see ``SampleSharing``.
    public static let meter = KindSchema(
        name: "meter",
        fields: [
            FieldSchema(1, "MAC"), FieldSchema(2, "NAME"), FieldSchema(3, "MODEL"),
            FieldSchema(4, "TEMPERATURE_UNIT"), FieldSchema(5, "LEASE", .lease), FieldSchema(6, "SAMPLES"),
        ])

    /// A trace: what was recorded with one meter from one start to one end. Its rows are its series.
    ///
    /// `STARTED` and `ENDED` are milliseconds since 1970; `END` says how it ended: see ``TraceEnd``. `RATE` is how many
    /// rows a second there are, where the input does not say when they came. `SAMPLES` says whether
    /// its samples travel, whatever its meter says: see ``SampleSharing``.
    public static let trace = KindSchema(
        name: "trace",
        fields: [
            FieldSchema(1, "METER"), FieldSchema(2, "MODEL"), FieldSchema(3, "NAME"), FieldSchema(4, "STARTED"),
            FieldSchema(5, "ENDED"), FieldSchema(6, "END"), FieldSchema(7, "LINK"), FieldSchema(8, "SOURCE"),
            FieldSchema(9, "SAMPLES"), FieldSchema(10, "RATE"),
        ], series: series,
        indexEntries: { values in
            [IndexEntry(index: 1, key: values.value(4).map { Array($0) } ?? [])]
        })

    /// What went over the line while a trace was recorded: bytes both ways, where that was asked for. See ``Capture``.
    public static let capture = KindSchema(name: "capture", fields: [FieldSchema(1, "TRACE")])

    /// Cells for 65,536 rows and more: each has what is said of its blocks, joined.
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

    /// The id of the record of the meter with this address.
    public static func meterID(_ address: MACAddress) -> RecordID { derivedID(meter, "\(address)") }

    /// The id of the capture of a trace.
    public static func captureID(_ trace: RecordID) -> RecordID { derivedID(capture, "\(trace)") }

    private static func derivedID(_ kind: KindSchema, _ name: String) -> RecordID {
        let hash = [UInt8]("\(kind.name)\u{0}\(name)".utf8).withSpan { Hash256(hashing: $0) }
        return RecordID(high: hash.id.high, low: hash.id.low)
    }
}

/// How a trace ended.
public enum TraceEnd: String, Hashable, Sendable, CaseIterable {
    /// Whoever recorded it ended it.
    case finished
    /// The process that recorded it ended before it; what it had made durable was taken into the log afterwards.
    case interrupted
    /// Recording stopped by itself: the disk was full, or the meter was gone.
    case stopped
}

/// Whether samples travel between devices. What is said of them always does.
public enum SampleSharing: String, Hashable, Sendable, CaseIterable {
    /// Every device gets them.
    case synced
    /// They stay on the device that recorded them.
    case local
}
