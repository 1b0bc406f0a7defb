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
        writer.append(contentsOf: Self.band(band, or: frequency))
        writer.append(UInt8(ascii: "|"))
        writer.append(contentsOf: Self.mode(Self.folded(mode), Self.folded(submode)))
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

    /// Returns a band in upper case; the one of a frequency in megahertz where none is given, empty if it is in none.
    static func band(_ band: some Collection<UInt8>, or frequency: some Collection<UInt8>) -> [UInt8] {
        let given = folded(band)
        if !given.isEmpty { return given }
        let derived = Frequency(megahertz: folded(frequency)[...]).flatMap { Band(containing: $0) }
        return derived.map { Array($0.name.uppercased().utf8) } ?? []
    }

    /// The modes of most contacts: in the standard's list, without a submode. Looking these up creates no strings.
    private static let plainModes = Dictionary(
        (Mode.currentNames + Mode.importOnlyNames).map { name in
            (Array(name.utf8), parent(Array(name.utf8), []))
        }, uniquingKeysWith: { first, _ in first })

    private static func mode(_ mode: [UInt8], _ submode: [UInt8]) -> [UInt8] {
        (submode.isEmpty ? plainModes[mode] : nil) ?? parent(mode, submode)
    }

    /// Returns the mode of a contact, not its submode, in upper case; empty if neither is given. A submode in the wrong field
    /// and one of another mode are heard, as ``Mode/init(mode:submode:)`` says.
    static func ownMode(_ mode: [UInt8], _ submode: some Collection<UInt8>) -> [UInt8] {
        let submode = folded(submode)
        if submode.isEmpty, let known = plainModes[mode] { return known }
        let name = Mode(
            mode: String(decoding: mode, as: UTF8.self), submode: String(decoding: submode, as: UTF8.self))?.name
        return name.map { Array($0.utf8) } ?? []
    }

    private static func parent(_ mode: [UInt8], _ submode: [UInt8]) -> [UInt8] {
        let parent = Mode(mode: String(decoding: mode.isEmpty ? submode : mode, as: UTF8.self))?.name
        return parent.map { Array($0.utf8) } ?? mode
    }

    /// Whether both stations may be the same: equal, or at least one of them not given.
    func mayBeSameStation(as other: [UInt8]) -> Bool { station.isEmpty || other.isEmpty || station == other }
}

extension ByteWriter {
    /// Appends `text` in upper case, without blanks at the ends.
    fileprivate mutating func append(folded text: some Collection<UInt8>) {
        let start = count
        var end = start
        for byte in text where !(count == start && ContactKey.isBlank(byte)) {
            append(byte >= 0x61 && byte <= 0x7A ? byte - 32 : byte)
            if !ContactKey.isBlank(byte) { end = count }
        }
        truncate(to: end)
    }
}
