import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveMDBPages

/// Scans every page of a log file, whether or not a tree leads to it, and the bytes of damaged pages.
///
/// A leaf can be read by itself, and an event is recognisable by its first bytes and checksum. So neither the tree nor
/// the meta pages are needed, and damage costs only the rows it hits.
package struct PageScan {
    /// The valid events, in order of their offsets in the file; some more than once.
    package private(set) var frames: [FoundFrame] = []
    /// The rows of other tables, identified by their checksums.
    package private(set) var rows = SalvagedRows()
    /// The number of bytes that could not be read.
    package private(set) var unreadCount = 0

    private let file: PageFile
    private let pageSize: Int
    private let byteCount: Int
    private let standing: (UInt64) -> FoundFrame.Standing
    private var entries = PageEntries()

    /// The maximum size of an event in bytes, including a row of a late one.
    private static let valueLimit = Frame.lengthLimit + LateRow.frameOffset + LogTable.checksumSize

    /// The number of pages read at once.
    private static let windowPages = 256

    /// Scans `file`, whose pages have `pageSize` bytes.
    ///
    /// - Parameters:
    ///   - pages: The pages to read, all by default; those behind the end of the file are skipped.
    ///   - standing: Returns whether a tree leads to a page.
    package init(
        _ file: PageFile, pageSize: Int, pages: [Range<UInt64>]? = nil,
        standing: @escaping (UInt64) -> FoundFrame.Standing
    ) throws(PageFileError) {
        self.file = file
        self.pageSize = pageSize
        self.standing = standing
        byteCount = try file.byteCount()
        let all = 0..<UInt64((byteCount + pageSize - 1) / pageSize)
        var window: [UInt8] = []
        for part in pages ?? [all] {
            let part = part.clamped(to: all)
            scan(Int(part.lowerBound) * pageSize..<Swift.min(Int(part.upperBound) * pageSize, byteCount), &window)
        }
    }

    private mutating func scan(_ bytes: Range<Int>, _ window: inout [UInt8]) {
        var start = bytes.lowerBound
        // Overflow pages have no header: those of a valid event are skipped.
        var next = start
        while start < bytes.upperBound {
            let wanted = Swift.min(Self.windowPages * pageSize, bytes.upperBound - start)
            if window.count != wanted { window = [UInt8](repeating: 0, count: wanted) }
            let filled = (try? file.read(into: &window, from: 0, at: start)) ?? readPieces(into: &window, at: start)
            while next < start + filled {
                let end = Swift.min(next - start + pageSize, filled)
                next += scanPage(window.span.bytes.extracting(next - start..<end), at: next)
            }
            start += wanted
        }
    }

    /// Reads page by page if the whole window cannot be read; unreadable pages count as zeros.
    private mutating func readPieces(into window: inout [UInt8], at start: Int) -> Int {
        let count = Swift.min(window.count, byteCount - start)
        for index in 0..<count { window[index] = 0 }
        var page = 0
        while page < count {
            let wanted = Swift.min(pageSize, count - page)
            if let bytes = try? file.read(wanted, at: start + page) {
                for (index, byte) in bytes.enumerated() { window[page + index] = byte }
            } else {
                unreadCount += wanted
            }
            page += pageSize
        }
        return count
    }

    /// Collects the rows of the page at `offset`, and returns how many bytes were processed.
    private mutating func scanPage(_ page: RawSpan, at offset: Int) -> Int {
        let number = UInt64(offset / pageSize)
        let isPage = page.byteCount == pageSize && page.hostUInt64(at: 0) == number
        let flags = isPage ? page.hostUInt16(at: 10) : 0
        switch flags {
        case 0x01 where isPage, MetaPage.flags where number <= 1: return pageSize
        case 0x02:
            scanLeaf(page, number, at: offset)
            return pageSize
        case 0x04:
            let start = PageEntries.headerSize
            guard let found = frame(in: page, from: start, at: offset, position: 0) else { break }
            frames.append(found)
            let pages = (start - 1 + found.length) / pageSize + 1
            return pages * pageSize
        default: break
        }
        carve(page, at: offset)
        return pageSize
    }

    private mutating func scanLeaf(_ page: RawSpan, _ number: UInt64, at offset: Int) {
        let isRead: ()? = try? entries.read(number, page, within: KeyBounds(order: .bytes), holdsTables: false)
        guard isRead != nil else { return carve(page, at: offset) }
        let standing = standing(number)
        for entry in entries.entries {
            let key = page.extracting(entry.key)
            if let first = entry.page {
                scanLongValue(entry, at: first, key, standing)
            } else if key.byteCount == 8,
                let found = frame(
                    in: page, from: entry.value.lowerBound, at: offset, position: key.bigEndianUInt64(at: 0))
            {
                frames.append(found)
            } else if let found = late(
                key, page.extracting(entry.value), at: offset + entry.value.lowerBound, standing)
            {
                frames.append(found)
            } else {
                rows.insert(key, page.extracting(entry.value), standing)
            }
        }
        if !entries.damage.isEmpty { carve(page, at: offset) }
    }

    /// Returns the event in a row of late events; `nil` if the row is not one.
    private func late(
        _ key: RawSpan, _ row: RawSpan, at offset: Int, _ standing: FoundFrame.Standing
    ) -> FoundFrame? {
        let start = LateRow.frameOffset
        guard key.byteCount == 8, row.byteCount >= start + 4, row.uint32(at: start) == Frame.magic,
            let count = LogTable.late.contentSize(of: row, under: key),
            count > start
        else { return nil }
        return try? LateRow.withFrame(in: row.extracting(0..<count)) { position, bytes in
            let frame = try Frame(verifying: bytes)
            return frame.length == bytes.byteCount
                ? FoundFrame(frame, in: bytes, at: offset + start, position: position, standing, isLate: true) : nil
        }
    }

    private mutating func scanLongValue(
        _ entry: PageEntry, at first: UInt64, _ key: RawSpan, _ standing: FoundFrame.Standing
    ) {
        guard first > 1, first < UInt64(byteCount / pageSize), entry.valueCount <= Self.valueLimit else { return }
        let offset = Int(first) * pageSize + PageEntries.headerSize
        guard let bytes = try? file.read(entry.valueCount, at: offset) else {
            unreadCount += entry.valueCount
            return
        }
        guard bytes.count == entry.valueCount else { return }
        let span = bytes.span.bytes
        if key.byteCount == 8, let frame = try? Frame(verifying: span), frame.length == span.byteCount {
            frames.append(FoundFrame(frame, in: span, at: offset, position: key.bigEndianUInt64(at: 0), standing))
        } else if let found = late(key, span, at: offset, standing) {
            frames.append(found)
        } else {
            rows.insert(key, span, standing)
        }
    }

    /// Finds events by their first bytes alone. They start at even offsets, like everything that LMDB stores.
    private mutating func carve(_ page: RawSpan, at offset: Int) {
        var start = 0
        while start + Frame.prefixSize <= page.byteCount {
            if page.uint32(at: start) == Frame.magic,
                let found = frame(in: page, from: start, at: offset, position: position(of: page, at: start))
            {
                frames.append(found)
                start += (found.length + 1) & ~1
            } else {
                start += 2
            }
        }
    }

    /// Returns the position before the event at `start`, the key of its entry (see ``PageEntry``); 0 if there is no
    /// such entry.
    private func position(of page: RawSpan, at start: Int) -> Position {
        guard start >= 16, page.hostUInt32(at: start - 16) == page.uint32(at: start + 4),
            page.hostUInt16(at: start - 12) == 0, page.hostUInt16(at: start - 10) == 8
        else { return 0 }
        return page.bigEndianUInt64(at: start - 8)
    }

    /// Returns the valid frame that starts at `start` of the page at `offset`; it may extend behind the page.
    private mutating func frame(in page: RawSpan, from start: Int, at offset: Int, position: Position) -> FoundFrame? {
        guard start + Frame.prefixSize <= page.byteCount, page.uint32(at: start) == Frame.magic else { return nil }
        let length = Int(page.uint32(at: start + 4))
        let standing = standing(UInt64(offset / pageSize))
        if start + length <= page.byteCount {
            let bytes = page.extracting(start..<page.byteCount)
            guard let frame = try? Frame(verifying: bytes) else { return nil }
            return FoundFrame(frame, in: bytes, at: offset + start, position: position, standing)
        }
        guard length <= Frame.lengthLimit, offset + start + length <= byteCount else { return nil }
        guard let long = try? file.read(length, at: offset + start) else {
            unreadCount += length
            return nil
        }
        guard let frame = try? Frame(verifying: long.span.bytes) else { return nil }
        return FoundFrame(frame, in: long.span.bytes, at: offset + start, position: position, standing)
    }
}
