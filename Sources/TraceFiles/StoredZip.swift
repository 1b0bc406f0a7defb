import GroundwaveByteCoding

/// A ZIP archive with uncompressed entries (PKWARE's APPNOTE 6.3.3), written front to back.
///
/// | part | size | for |
/// |---|---|---|
/// | local header | 30 + name | each entry, followed by its data |
/// | directory header | 46 + name | each entry |
/// | end record | 22 | the archive |
///
/// All entries have the earliest possible date, so that the same entries give the same bytes. ZIP64 is not supported:
/// the archive must be shorter than 4 GiB.
struct StoredZip {
    /// The exclusive limit of the archive's size, including its directory.
    static let byteLimit = 1 << 32
    private static let entryLimit = 65_535

    /// The directory headers of the entries so far.
    private var directory = ByteWriter()
    private var entryCount = 0
    /// The number of bytes written.
    private var offset = 0

    /// Returns the size of the archive if it were finished after another entry.
    private func byteCount(with name: [UInt8], _ dataByteCount: Int) -> Int {
        offset + 30 + name.count + dataByteCount + directory.count + 46 + name.count + 22
    }

    /// Adds an entry.
    ///
    /// - Throws: ``TraceExportError/tooLarge(_:)`` if the archive would reach 4 GiB, or have too many entries.
    mutating func add(_ name: String, _ data: [UInt8], to sink: TraceWriter.Sink) throws {
        let name = Array(name.utf8)
        guard byteCount(with: name, data.count) < Self.byteLimit, entryCount < Self.entryLimit else {
            throw TraceExportError.tooLarge(
                "a sigrok session must stay below 4 GiB; use longer intervals or fewer channels")
        }
        // The fields that both headers share: version 1.0 is needed to extract the entry; no flags; stored without
        // compression; midnight of 1980-01-01; CRC-32; both sizes; length of the name; no extra field.
        var about = ByteWriter()
        about.append(littleEndian: UInt16(10))
        about.append(littleEndian: UInt16(0))
        about.append(littleEndian: UInt16(0))
        about.append(littleEndian: UInt16(0))
        about.append(littleEndian: UInt16(0x21))
        about.append(littleEndian: CRC32.checksum(data))
        about.append(littleEndian: UInt32(data.count))
        about.append(littleEndian: UInt32(data.count))
        about.append(littleEndian: UInt16(name.count))
        about.append(littleEndian: UInt16(0))

        var header = ByteWriter()
        header.append(littleEndian: UInt32(0x0403_4B50))
        header.append(contentsOf: about.bytes)
        header.append(contentsOf: name)

        directory.append(littleEndian: UInt32(0x0201_4B50))
        // Made by version 1.0.
        directory.append(littleEndian: UInt16(10))
        directory.append(contentsOf: about.bytes)
        // No comment, disk 0, no attributes.
        directory.append(contentsOf: [UInt8](repeating: 0, count: 10))
        directory.append(littleEndian: UInt32(offset))
        directory.append(contentsOf: name)

        offset += header.count + data.count
        entryCount += 1
        try sink(header.bytes)
        if !data.isEmpty { try sink(data) }
    }

    /// Ends the archive: writes the directory and the end record.
    mutating func finish(to sink: TraceWriter.Sink) throws {
        var end = ByteWriter()
        end.append(contentsOf: directory.bytes)
        end.append(littleEndian: UInt32(0x0605_4B50))
        // This is disk 0, and the directory begins on disk 0.
        end.append(littleEndian: UInt32(0))
        end.append(littleEndian: UInt16(entryCount))
        end.append(littleEndian: UInt16(entryCount))
        end.append(littleEndian: UInt32(directory.count))
        end.append(littleEndian: UInt32(offset))
        // No comment.
        end.append(littleEndian: UInt16(0))
        try sink(end.bytes)
    }
}
