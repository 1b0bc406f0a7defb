/// A set of pages of a file, one bit each.
struct PageSet {
    /// The number of pages; higher page numbers cannot be in the set.
    let count: UInt64
    private var words: [UInt64]

    /// Creates an empty set for pages below `count`.
    init(count: UInt64) {
        self.count = count
        words = [UInt64](repeating: 0, count: Int((count + 63) / 64))
    }

    /// Whether `page`, which must be below the count, is in the set.
    func contains(_ page: UInt64) -> Bool { words[Int(page >> 6)] & (1 << (page & 63)) != 0 }

    /// Adds `page`, which must be below the count; returns whether it is new.
    mutating func insert(_ page: UInt64) -> Bool {
        defer { words[Int(page >> 6)] |= 1 << (page & 63) }
        return !contains(page)
    }

    /// The pages of the set as runs, in order.
    var runs: [Range<UInt64>] {
        var runs: [Range<UInt64>] = []
        for page in intersection(self) {
            if let last = runs.last, last.upperBound == page {
                runs[runs.count - 1] = last.lowerBound..<page + 1
            } else {
                runs.append(page..<page + 1)
            }
        }
        return runs
    }

    /// Returns the pages that are in both sets, in order.
    func intersection(_ other: PageSet) -> [UInt64] {
        var pages: [UInt64] = []
        for (index, pair) in zip(words, other.words).enumerated() where pair.0 & pair.1 != 0 {
            var word = pair.0 & pair.1
            while word != 0 {
                pages.append(UInt64(index) << 6 + UInt64(word.trailingZeroBitCount))
                word &= word - 1
            }
        }
        return pages
    }
}
