import GroundwaveByteCoding

/// The record of a tree, in a meta page or in the main table (`MDB_db` in mdb.c).
///
/// | offset | size | |
/// |---|---|---|
/// | 0 | 4 | in a meta page's record of free pages the page size, otherwise 0 |
/// | 4 | 2 | flags: 0x08, keys are integers in the byte order of the host |
/// | 6 | 2 | depth: 0 if the tree is empty, 1 if its root is a leaf |
/// | 8 | 8, 8, 8 | branch, leaf and overflow pages |
/// | 32 | 8 | entries |
/// | 40 | 8 | root page; all ones if the tree is empty |
package struct TreeRecord: Hashable {
    package static let byteCount = 48
    package static let noPage = UInt64.max

    package let flags: UInt16
    let depth: Int
    let branchPages: UInt64
    let leafPages: UInt64
    let overflowPages: UInt64
    package let entries: UInt64
    package let root: UInt64

    init(at offset: Int, of bytes: RawSpan) {
        flags = bytes.hostUInt16(at: offset + 4)
        depth = Int(bytes.hostUInt16(at: offset + 6))
        branchPages = bytes.hostUInt64(at: offset + 8)
        leafPages = bytes.hostUInt64(at: offset + 16)
        overflowPages = bytes.hostUInt64(at: offset + 24)
        entries = bytes.hostUInt64(at: offset + 32)
        root = bytes.hostUInt64(at: offset + 40)
    }
}

/// A meta page: the roots of one state of the file. There are two; transaction N writes number N mod 2.
///
/// | offset | size | |
/// |---|---|---|
/// | 0 | 16 | page header: number 0 or 1, flags 0x08 |
/// | 16 | 4 | magic, 0xBEEFC0DE |
/// | 20 | 4 | data version, 1 |
/// | 24 | 8, 8 | fixed address, size of the map |
/// | 40 | 48, 48 | records of the free pages and of the main table |
/// | 136 | 8 | last page in use |
/// | 144 | 8 | transaction |
package struct MetaPage: Hashable {
    static let byteCount = 152
    /// The accepted page sizes in bytes. LMDB takes the page size of the system, up to 32 KiB.
    package static let pageSizes = [4096, 8192, 16384, 32768]
    package static let flags: UInt16 = 0x08
    private static let magic: UInt32 = 0xBEEF_C0DE

    package let pageSize: Int
    package let freePages: TreeRecord
    package let main: TreeRecord
    package let lastPage: UInt64
    package let transaction: UInt64

    /// Parses the meta page number `index` at the start of `bytes`; `nil` if it is malformed.
    init?(_ bytes: RawSpan, index: UInt64) {
        guard bytes.byteCount >= Self.byteCount, bytes.hostUInt64(at: 0) == index,
            bytes.hostUInt16(at: 10) == Self.flags, bytes.hostUInt32(at: 16) == Self.magic,
            bytes.hostUInt32(at: 20) == 1, Self.pageSizes.contains(Int(bytes.hostUInt32(at: 40)))
        else { return nil }
        pageSize = Int(bytes.hostUInt32(at: 40))
        freePages = TreeRecord(at: 40, of: bytes)
        main = TreeRecord(at: 88, of: bytes)
        lastPage = bytes.hostUInt64(at: 136)
        transaction = bytes.hostUInt64(at: 144)
        guard lastPage >= 1 else { return nil }
    }

    /// Returns the two meta pages of `file` in order, each `nil` if it is damaged or cannot be read.
    ///
    /// Both are of one moment: they are read until two readings agree, since commits between the first page and the second
    /// one would look like lost ones.
    package static func both(of file: PageFile) -> [MetaPage?] {
        var pages = readBoth(of: file)
        for _ in 1..<readingLimit {
            let again = readBoth(of: file)
            if again == pages { break }
            pages = again
        }
        return pages
    }

    /// A commit takes longer than a reading: only a process that is held up between its readings needs more than two.
    private static let readingLimit = 100

    /// The second page begins one page after the first, and only the meta pages contain the page size: if the first is
    /// damaged, every size is tried.
    private static func readBoth(of file: PageFile) -> [MetaPage?] {
        let first = page(0, of: file, at: 0)
        let sizes = if let first { [first.pageSize] } else { pageSizes }
        for pageSize in sizes {
            if let second = page(1, of: file, at: pageSize), second.pageSize == pageSize { return [first, second] }
        }
        return [first, nil]
    }

    /// Returns the meta page of the newest state; `nil` if both are damaged.
    package static func newest(of file: PageFile) -> MetaPage? {
        both(of: file).compactMap { $0 }.max { $0.transaction < $1.transaction }
    }

    private static func page(_ index: UInt64, of file: PageFile, at offset: Int) -> MetaPage? {
        guard let bytes = try? file.read(byteCount, at: offset) else { return nil }
        return MetaPage(bytes.span.bytes, index: index)
    }
}

extension RawSpan {
    // LMDB writes numbers in the byte order of its host, and a log stays on the kind of machine where it was created.
    // `uint16(at:)` reads little-endian bytes; the conversion here reverses them again on a big-endian host.

    @inline(__always)
    package func hostUInt16(at offset: Int) -> UInt16 { UInt16(littleEndian: uint16(at: offset)) }

    @inline(__always)
    package func hostUInt32(at offset: Int) -> UInt32 { UInt32(littleEndian: uint32(at: offset)) }

    @inline(__always)
    package func hostUInt64(at offset: Int) -> UInt64 { UInt64(littleEndian: uint64(at: offset)) }
}
