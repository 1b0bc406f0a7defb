import ADIF
import ByteCoding
import Events
import Records

/// By what a contact is known again when a file comes a second time, from whichever program: call, minute, band, mode.
///
/// Times meet to the minute, since some services drop seconds; modes by their parent, since some programs write the
/// submode into MODE; the band is derived where only a frequency is given. The station is compared apart, since many
/// files leave it out.
struct ContactKey: Hashable, Sendable {
    /// The first 16 bytes of the SHA-256 of the normalised text.
    let id: RecordID
    /// The station's own call in upper case; empty where it is not given.
    let station: [UInt8]

    /// The bytes under which the key is indexed.
    var bytes: [UInt8] { id.bytes }

    init(
        call: some Collection<UInt8>, date: some Collection<UInt8>, time: some Collection<UInt8>,
        frequency: some Collection<UInt8>, band: some Collection<UInt8>, mode: some Collection<UInt8>,
        submode: some Collection<UInt8>, station: some Collection<UInt8>
    ) {
        var writer = ByteWriter(capacity: 64)
        writer.append(contentsOf: Self.folded(call))
        writer.append(UInt8(ascii: "|"))
        writer.append(contentsOf: Self.folded(date))
        writer.append(UInt8(ascii: "|"))
        writer.append(contentsOf: Array(Self.folded(time).prefix(4)))
        writer.append(UInt8(ascii: "|"))
        writer.append(contentsOf: Self.band(frequency: frequency, band: band))
        writer.append(UInt8(ascii: "|"))
        writer.append(contentsOf: Self.mode(Self.folded(mode), Self.folded(submode)))
        let hash = Hash256(hashing: writer.bytes.span.bytes)
        id = RecordID(high: hash.id.high, low: hash.id.low)
        self.station = Self.folded(station)
    }

    /// Upper case, without blanks at the ends.
    static func folded(_ text: some Collection<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        for byte in text where !(result.isEmpty && isBlank(byte)) {
            result.append(byte >= 0x61 && byte <= 0x7A ? byte - 32 : byte)
        }
        while let last = result.last, isBlank(last) { result.removeLast() }
        return result
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (byte >= 0x09 && byte <= 0x0D) }

    private static func band(frequency: some Collection<UInt8>, band: some Collection<UInt8>) -> [UInt8] {
        let named = folded(band)
        if !named.isEmpty { return named }
        guard let frequency = Frequency(megahertz: String(decoding: folded(frequency), as: UTF8.self)),
            let band = Band(containing: frequency)
        else { return [] }
        return folded(Array(band.name.utf8))
    }

    private static func mode(_ mode: [UInt8], _ submode: [UInt8]) -> [UInt8] {
        let parent = Mode(mode: String(decoding: mode.isEmpty ? submode : mode, as: UTF8.self))?.name
        return parent.map { Array($0.utf8) } ?? mode
    }

    /// Whether two stations may be one: equal, or one of them not given.
    func mayBeSameStation(as other: [UInt8]) -> Bool { station.isEmpty || other.isEmpty || station == other }
}
