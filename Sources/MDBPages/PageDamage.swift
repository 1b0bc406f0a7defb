/// A page that LMDB would not have written like this, and the evidence.
package struct PageDamage: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of damage of a page.
    package enum What: Hashable, Sendable {
        /// The system cannot read it; the number is its `errno`.
        case unreadable(Int32)
        /// It is past the end of the file.
        case pastEnd
        /// It is past the last page that the meta page counts, or is a meta page itself.
        case outOfBounds
        /// Its header has the number `found`: it was written to a wrong place, or overwritten.
        case wrongNumber(found: UInt64)
        /// Its flags are not those of the expected kind of page.
        case wrongFlags(UInt16)
        /// The bounds of its free space are impossible.
        case freeSpace
        /// The entry in this slot exceeds the page, or its parts exceed the entry.
        case entry(slot: Int)
        /// The key in this slot is out of order, or outside the bounds of the branches above.
        case keyOrder(slot: Int)
        /// Its entries overlap, or leave unused space between them.
        case layout
        /// It is reached twice: by two branches, or by a cycle.
        case reachedTwice
        /// It is at another depth than other leaves, or deeper than a tree can be.
        case depth
        /// It starts a long value whose number of pages does not match its length.
        case valueLength
        /// It is in use and listed as free: the next writer would overwrite it.
        case listedAsFree
        /// It is listed as free twice, or the list that names it is malformed.
        case freeList
        /// It is a meta page, and is damaged or has an impossible transaction number.
        case meta
        /// It is the root of a tree whose pages or rows differ from the counts in its record.
        case counts
    }

    /// The number of the page; its offset in the file is this times the page size.
    package let page: UInt64
    /// The kind of its damage.
    package let what: What

    /// The damage in plain words.
    package var description: String {
        switch what {
        case .unreadable(let code): "page \(page) cannot be read: \(systemMessage(code))"
        case .pastEnd: "page \(page) lies past the end of the file"
        case .outOfBounds: "page \(page) is referenced by another page but is not part of a tree"
        case .wrongNumber(let found): "page \(page) is numbered as page \(found)"
        case .wrongFlags(let flags): "page \(page) is of the wrong kind (flags \(flags))"
        case .freeSpace: "page \(page) has impossible bounds for its free space"
        case .entry(let slot): "page \(page) has a damaged entry, number \(slot)"
        case .keyOrder(let slot): "page \(page) has a key out of order, number \(slot)"
        case .layout: "page \(page) has entries that overlap or leave unused space"
        case .reachedTwice: "page \(page) is used twice"
        case .depth: "page \(page) is at a wrong depth of its tree"
        case .valueLength: "page \(page) starts a long value with a wrong number of pages"
        case .listedAsFree: "page \(page) is in use and listed as free"
        case .freeList: "page \(page) is wrongly listed as free"
        case .meta: "page \(page) is not a valid meta page"
        case .counts: "page \(page) is the root of a tree whose pages or rows differ from the counts in its record"
        }
    }
}
