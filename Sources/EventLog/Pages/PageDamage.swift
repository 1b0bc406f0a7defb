/// A page that is not what LMDB would have written, and what gives it away.
package struct PageDamage: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong with the page.
    package enum What: Hashable, Sendable {
        /// The system cannot read it; the number is its `errno`.
        case unreadable(Int32)
        /// It lies past the end of the file.
        case pastEnd
        /// It lies past the last page that the meta page counts, or is a meta page itself.
        case outOfBounds
        /// It says to be page `found`: written to a wrong place, or over.
        case wrongNumber(found: UInt64)
        /// Its flags are not those of the kind of page that belongs here.
        case wrongFlags(UInt16)
        /// The bounds of its free space do not make sense.
        case freeSpace
        /// The entry in this slot does not lie within the page, or its parts do not lie within the entry.
        case entry(slot: Int)
        /// The key in this slot does not stand between its neighbours, or not where the branches above say.
        case keyOrder(slot: Int)
        /// Its entries overlap, or leave a hole.
        case layout
        /// It is reached twice: by two branches, or by a circle.
        case reachedTwice
        /// It is deeper in the tree than others, or deeper than a tree can be.
        case depth
        /// It starts a long value whose count of pages does not fit its length.
        case valueLength
        /// It is in use and listed as free: the next writer would write over it.
        case listedAsFree
        /// It is listed as free twice, or the list that names it is malformed.
        case freeList
        /// It is a meta page, and damaged, or tells of a transaction that cannot be.
        case meta
        /// It is the root of a tree that has other pages or rows than its record counts.
        case counts
    }

    /// The number of the page; its offset in the file is this times the page size.
    package let page: UInt64
    /// What is wrong with it.
    package let what: What

    /// In plain words.
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
        case .layout: "page \(page) has entries that overlap or leave a hole"
        case .reachedTwice: "page \(page) is used twice"
        case .depth: "page \(page) is at a wrong depth of its tree"
        case .valueLength: "page \(page) starts a long value with a wrong number of pages"
        case .listedAsFree: "page \(page) is in use and listed as free"
        case .freeList: "page \(page) is wrongly listed as free"
        case .meta: "page \(page) is not a valid meta page"
        case .counts: "page \(page) is the root of a tree whose page counts differ from its record"
        }
    }
}
