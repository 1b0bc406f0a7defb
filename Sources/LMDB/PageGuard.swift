import GroundwaveCLMDB
import Synchronization

/// Looks at the pages of a map that an answer of LMDB lies on: liblmdb believes whatever stands in them.
///
/// A flipped bit in a page's header or slots hides rows, or shows other bytes as rows, and every return code says that
/// all is well. LMDB keeps much that is redundant: each page has its number, and the entries of a leaf fill what is not
/// free without holes. So a leaf is looked at when a cursor first comes to it. Of an exact look-up only the page's kind
/// and bounds are: whether the value is the right one, its own checksum says.
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
    /// Where the map starts, as the first page that was looked at has it; 0 before that, and when the map has moved.
    ///
    /// Freed with the environment's resources, after all transactions.
    @usableFromInline let base: UnsafeMutablePointer<Atomic<UInt>>
    /// In a write transaction the bytes of the map: pages that it has changed lie elsewhere in memory. Else 0.
    let mapByteCount: UInt

    /// Whether `value`, which an exact look-up gave, lies within a page of its kind.
    @inlinable
    func isSound(_ value: MDB_val, lastPage: () -> Int) -> Bool {
        guard let data = unsafe value.mv_data else { return false }
        // One byte before the value there is its key, or the header of its page, in the same page.
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

    /// Whether the page at `page` says the number that belongs to its place.
    @inlinable
    func isInPlace(_ page: UInt, _ header: UnsafeRawPointer) -> Bool {
        let number = unsafe UInt(header.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
        let (offset, overflow) = unsafe number.multipliedReportingOverflow(by: mask &+ 1)
        let found = page &- offset
        let known = unsafe base.pointee.load(ordering: .relaxed)
        guard known == 0 else { return known == found && !overflow }
        guard !overflow, found < page, found != 0 else { return false }
        // Where another thread is first, with another page, one of the two is not in its place.
        let first = unsafe base.pointee.compareExchange(expected: 0, desired: found, ordering: .relaxed)
        return first.exchanged || first.original == found
    }

    /// Whether the leaf at `page`, which LMDB has read, is as LMDB writes leaves.
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

    /// Whether `value`, which starts behind the header of `page`, fits the pages that the header says.
    @usableFromInline
    func isLongValueSound(_ value: MDB_val, _ page: UInt, _ lastPage: () -> Int) -> Bool {
        // LMDB has made sure that the first page is one of the state that is read.
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

    /// The page on which the entry with `key` stands.
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

/// Bytes of the header of a page.
@usableFromInline let headerByteCount = 16
/// Bytes of an entry before its key.
@usableFromInline let entryHeaderByteCount = 8

extension MDB_val {
    /// Whether these bytes sort before `other`, as LMDB sorts keys.
    @inlinable
    func precedes(_ other: MDB_val) -> Bool {
        let order = unsafe memcmp(mv_data, other.mv_data, Swift.min(mv_size, other.mv_size))
        return unsafe order < 0 || order == 0 && mv_size < other.mv_size
    }
}
