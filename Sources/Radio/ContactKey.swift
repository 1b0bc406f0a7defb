import GroundwaveADIF
import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveRecords

/// The key by which an import recognises a contact that is already present, whichever program wrote it: call, minute,
/// band, mode.
///
/// Times are truncated to the minute, since some services drop seconds. Modes are replaced by their parent, since
/// some programs write the submode into MODE. The band is derived if only a frequency is given. The station is
/// compared separately, since many files leave it out.
struct ContactKey: Hashable, Sendable {
    /// The first 16 bytes of the SHA-256 of the normalised text.
    let id: RecordID
    /// The station's own call in upper case; empty if it is not given.
    let station: [UInt8]

    /// The bytes of the key in the index.
    var bytes: [UInt8] { id.bytes }

    /// The key that an import has stored with the contact that it made.
    init(id: RecordID, station: [UInt8]) { (self.id, self.station) = (id, station) }

    init(
        call: some Collection<UInt8>, date: some Collection<UInt8>, time: some Collection<UInt8>,
        frequency: some Collection<UInt8>, band: some Collection<UInt8>, mode: some Collection<UInt8>,
        submode: some Collection<UInt8>, station: some Collection<UInt8>
    ) {
        var writer = ByteWriter(capacity: 96)
        writer.append(folded: call)
        writer.append(UInt8(ascii: "|"))
        writer.append(folded: date)
        writer.append(UInt8(ascii: "|"))
        let timeStart = writer.count
        writer.append(folded: time)
        writer.truncate(to: Swift.min(writer.count, timeStart + 4))
        writer.append(UInt8(ascii: "|"))
        writer.append(band: band, or: frequency)
        writer.append(UInt8(ascii: "|"))
        writer.append(parentOf: mode, or: submode)
        let hash = writer.withSpan { Hash256(hashing: $0) }
        id = RecordID(high: hash.id.high, low: hash.id.low)
        self.station = Self.folded(station)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(id.low) }

    /// Returns `text` in upper case, without blanks at the ends.
    static func folded(_ text: some Collection<UInt8>) -> [UInt8] {
        var writer = ByteWriter(capacity: text.count)
        writer.append(folded: text)
        return writer.bytes
    }

    fileprivate static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (byte >= 0x09 && byte <= 0x0D) }

    /// Whether both stations may be the same: equal, or at least one of them not given.
    func mayBeSameStation(as other: [UInt8]) -> Bool { station.isEmpty || other.isEmpty || station == other }
}

extension ByteWriter {
    /// Appends `text` in upper case, without blanks at the ends.
    mutating func append(folded text: some Collection<UInt8>) {
        let start = count
        var end = start
        for byte in text where !(count == start && ContactKey.isBlank(byte)) {
            append(byte >= 0x61 && byte <= 0x7A ? byte - 32 : byte)
            if !ContactKey.isBlank(byte) { end = count }
        }
        truncate(to: end)
    }

    /// Appends a band in upper case: that of a frequency in megahertz if none is given; nothing if that is in none.
    mutating func append(band: some Collection<UInt8>, or frequency: some Collection<UInt8>) {
        let start = count
        append(folded: band)
        guard count == start, let frequency = Frequency(megahertz: ContactKey.folded(frequency)[...]) else { return }
        if let derived = Band(containing: frequency) { append(folded: derived.name.utf8) }
    }

    /// Appends the mode that a mode belongs to, in upper case: that of a submode if no mode is given.
    mutating func append(parentOf mode: some Collection<UInt8>, or submode: some Collection<UInt8>) {
        let start = count
        append(folded: mode)
        if count == start { append(folded: submode) }
        if withSpan({ NumberedNames.isMode($0.extracting(start..<$0.byteCount)) }) { return }
        let name = withSpan { $0.extracting(start..<$0.byteCount).toArray() }
        guard let parent = Mode(mode: String(decoding: name, as: UTF8.self))?.name else { return }
        truncate(to: start)
        append(contentsOf: Array(parent.utf8))
    }

    /// Appends the mode of a contact, not its submode, in upper case. A submode in the wrong field and one of another mode
    /// are heard, as ``Mode/init(mode:submode:)`` says.
    mutating func append(modeOf mode: some Collection<UInt8>, _ submode: some Collection<UInt8>) {
        let start = count
        append(folded: submode)
        let hasSubmode = count > start
        truncate(to: start)
        append(folded: mode)
        if !hasSubmode, withSpan({ NumberedNames.isMode($0.extracting(start..<$0.byteCount)) }) { return }
        let name = withSpan { $0.extracting(start..<$0.byteCount).toArray() }
        truncate(to: start)
        let given = (String(decoding: name, as: UTF8.self), String(decoding: submode, as: UTF8.self))
        if let mode = Mode(mode: given.0, submode: given.1) { append(contentsOf: Array(mode.name.utf8)) }
    }
}
