import ByteCoding

/// Reads the list of free pages: for each transaction the pages that it freed, as a count and that many page numbers in
/// descending order (8 bytes each, in the byte order of the host).
///
/// LMDB overwrites these pages without further checks. So a page that is both in use and listed is about to be lost;
/// and a tree reached through a stale page is detected, since its old pages are in the list.
struct FreePages: RowVisitor {
    private let meta: MetaPage
    private var listed: PageSet
    private(set) var damaged: [PageDamage] = []

    /// Creates an empty list of the pages below `pageCount`.
    init(_ meta: MetaPage, pageCount: UInt64) {
        self.meta = meta
        listed = PageSet(count: pageCount)
    }

    mutating func damage(_ damage: PageDamage) { damaged.append(damage) }

    mutating func row(key: RawSpan, value: RawSpan) {
        let transaction = key.hostUInt64(at: 0)
        guard transaction >= 1, transaction <= meta.transaction, value.byteCount >= 8, value.byteCount % 8 == 0,
            value.hostUInt64(at: 0) <= UInt64(value.byteCount / 8 - 1)
        else { return note(meta.freePages.root) }
        var previous = meta.lastPage + 1
        for index in 0..<Int(value.hostUInt64(at: 0)) {
            let page = value.hostUInt64(at: 8 + 8 * index)
            // A page behind the end of the file is free and was never written.
            guard page > 1, page < previous else { return note(meta.freePages.root) }
            previous = page
            if page < listed.count, !listed.insert(page) { note(page) }
        }
    }

    /// Whether `page` is in the list.
    func lists(_ page: UInt64) -> Bool { page < listed.count && listed.contains(page) }

    /// The listed pages, as runs in order.
    var runs: [Range<UInt64>] { listed.runs }

    private mutating func note(_ page: UInt64) { damaged.append(PageDamage(page: page, what: .freeList)) }

    /// Returns the first page from `page` on that is not in the list; `nil` if all are.
    func firstUnlisted(from page: UInt64) -> UInt64? {
        page < listed.count ? (page..<listed.count).first { !listed.contains($0) } : nil
    }

    /// Returns damage for each page that is in the list and in `used`.
    func shared(with used: PageSet) -> [PageDamage] {
        listed.intersection(used).map { PageDamage(page: $0, what: .listedAsFree) }
    }
}
