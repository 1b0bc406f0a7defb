import CLMDB
import Synchronization

/// Checks the pages of a map that an answer of LMDB lies on, because liblmdb trusts their contents.
///
/// A flipped bit in a page's header or slots hides rows, or shows other bytes as rows, while every return code
/// reports success. LMDB's pages are redundant: each page has its number, and the entries of a leaf fill all space
/// that is not free. So a leaf is checked when a cursor first comes to it. For an exact look-up only the page's kind
/// and bounds are checked; the value's own checksum shows whether it is the right one.
///
/// | offset | size | header of a page (`MDB_page` in mdb.c) |
/// |---|---|---|
/// | 0 | 8 | number |
/// | 10 | 2 | flags: 2 leaf, 4 overflow |
/// | 12 | 2, 2 | leaf: where the free space starts and ends |
/// | 12 | 4 | overflow: count of pages |
/// | 16 | 2 each | leaf: where entries start, in order of key |
///
/// An entry: bytes of its value (4), flags (2; 1: the value is on overflow pages, and its 8-byte page number stands
/// here), bytes of its key (2), key, value; the next one starts at an even offset.
@unsafe
@usableFromInline
struct PageGuard {
    /// Page size less one.
    @usableFromInline let mask: UInt
    /// The start of the map, computed from the first page that was checked; 0 before that, and after the map has
    /// moved.
    ///
    /// Freed with the environment's resources, after all transactions.
    @usableFromInline let base: UnsafeMutablePointer<Atomic<UInt>>
    /// In a write transaction, the size of the map in bytes, since pages that it has changed lie outside; else 0.
    let mapByteCount: UInt

    /// Whether `value`, which an exact look-up returned, lies within a page of its kind.
    @inlinable
    func isSound(_ value: MDB_val, lastPage: () -> Int) -> Bool {
        guard let data = unsafe value.mv_data else { return false }
        // The byte before the value belongs to its key, or to the header of its page, and so to the same page.
        let start = UInt(bitPattern: data)
        let page = unsafe (start &- 1) & ~mask
        if start &- page == UInt(headerByteCount) { return unsafe isLongValueSound(value, page, lastPage) }
        // LMDB has followed the page's slots to the value, so the page is in memory.
        let header = unsafe UnsafeRawPointer(bitPattern: page).unsafelyUnwrapped
        guard unsafe header.loadUnaligned(fromByteOffset: 10, as: UInt16.self) & 0x2F == 0x02,
            unsafe isInPlace(page, header)
        else { return false }
        return unsafe start &- page &+ UInt(value.mv_size) <= mask &+ 1
    }

    /// Whether the page at `page` has the number that belongs to its position.
    @inlinable
    func isInPlace(_ page: UInt, _ header: UnsafeRawPointer) -> Bool {
        let number = unsafe UInt(header.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
        let (offset, overflow) = unsafe number.multipliedReportingOverflow(by: mask &+ 1)
        let found = page &- offset
        let known = unsafe base.pointee.load(ordering: .relaxed)
        guard known == 0 else { return known == found && !overflow }
        guard !overflow, found < page, found != 0 else { return false }
        // If another thread was first, with another page, one of the two pages is not in its place.
        let first = unsafe base.pointee.compareExchange(expected: 0, desired: found, ordering: .relaxed)
        return first.exchanged || first.original == found
    }

    /// Whether the leaf at `page`, which LMDB has read, is laid out as LMDB writes leaves.
    @usableFromInline
    func isLeafSound(_ page: UInt) -> Bool {
        let header = unsafe UnsafeRawPointer(bitPattern: page).unsafelyUnwrapped
        guard unsafe header.loadUnaligned(fromByteOffset: 10, as: UInt16.self) & 0x2F == 0x02,
            unsafe isInPlace(page, header)
        else { return false }
        let size = unsafe Int(mask) &+ 1
        let lower = unsafe Int(header.loadUnaligned(fromByteOffset: 12, as: UInt16.self))
        let upper = unsafe Int(header.loadUnaligned(fromByteOffset: 14, as: UInt16.self))
        guard lower > headerByteCount, lower & 1 == 0, lower <= upper, upper <= size else { return false }
        // A bit for each even offset, set where an entry starts: two slots with one entry would hide another one.
        return unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: size / 128) { starts in
            unsafe starts.initialize(repeating: 0)
            var total = 0
            var slot = headerByteCount
            while slot < lower {
                let start = unsafe Int(header.loadUnaligned(fromByteOffset: slot, as: UInt16.self))
                // The loads stay within the page: the header of an entry ends before the page does.
                guard start >= upper, start & 1 == 0, start &+ entryHeaderByteCount <= size else { return false }
                let (word, bit) = (start >> 7, UInt64(1) << UInt64(start >> 1 & 63))
                guard unsafe starts[word] & bit == 0 else { return false }
                unsafe starts[word] |= bit
                let words = unsafe header.loadUnaligned(fromByteOffset: start, as: UInt64.self).littleEndian
                let valueSize = words >> 32 & 1 == 1 ? 8 : Int(words & 0xFFFF_FFFF)
                let count = (entryHeaderByteCount &+ Int(words >> 48) &+ valueSize &+ 1) & ~1
                guard count <= size &- start else { return false }
                total &+= count
                slot &+= 2
            }
            return total == size &- upper
        }
    }

    /// Whether `value`, which starts behind the header of `page`, fits the number of pages that the header gives.
    @usableFromInline
    func isLongValueSound(_ value: MDB_val, _ page: UInt, _ lastPage: () -> Int) -> Bool {
        // LMDB has checked that the first page belongs to the state that is read.
        let header = unsafe UnsafeRawPointer(bitPattern: page).unsafelyUnwrapped
        guard unsafe header.loadUnaligned(fromByteOffset: 10, as: UInt16.self) & 0x2F == 0x04,
            unsafe isInPlace(page, header)
        else { return false }
        let number = unsafe Int(truncatingIfNeeded: header.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
        let pageCount = unsafe Int(header.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
        let needed = unsafe (headerByteCount &- 1 &+ value.mv_size) / (Int(mask) &+ 1) &+ 1
        return needed <= pageCount && number &+ pageCount &- 1 <= lastPage()
    }

    /// Whether `page`, of a write transaction, lies in the map.
    @usableFromInline
    func isInMap(_ page: UInt) -> Bool {
        let start = unsafe base.pointee.load(ordering: .relaxed)
        return unsafe start != 0 && page >= start && page &- start < mapByteCount
    }

    /// The page that holds the entry with `key`.
    @inlinable
    func page(of key: MDB_val) -> UInt {
        unsafe (UInt(bitPattern: key.mv_data) &- UInt(entryHeaderByteCount)) & ~mask
    }

    /// Whether the value of an entry lies in the sound leaf `page`, or on sound pages of its own.
    @inlinable
    func isSound(_ value: MDB_val, in page: UInt, lastPage: () -> Int) -> Bool {
        let start = unsafe UInt(bitPattern: value.mv_data)
        if unsafe start &- page <= mask &+ 1 { return true }
        let first = start &- UInt(headerByteCount)
        return unsafe first & mask == 0 && isLongValueSound(value, first, lastPage)
    }
}

/// The size of a page header, in bytes.
@usableFromInline let headerByteCount = 16
/// The size of an entry's header, before its key, in bytes.
@usableFromInline let entryHeaderByteCount = 8

extension MDB_val {
    /// Whether these bytes sort before `other`, as LMDB sorts keys.
    @inlinable
    func precedes(_ other: MDB_val) -> Bool {
        let order = unsafe memcmp(mv_data, other.mv_data, Swift.min(mv_size, other.mv_size))
        return unsafe order < 0 || order == 0 && mv_size < other.mv_size
    }
}
