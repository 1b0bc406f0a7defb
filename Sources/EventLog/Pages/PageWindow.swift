/// A page within the bytes that were read with it.
struct Page {
    let window: [UInt8]
    let range: Range<Int>
}

/// Some adjacent pages, read at once: a log is mostly written in order, so they are mostly read in order.
struct PageWindow {
    /// The number of pages in a window: 64 KiB with pages of 4 KiB.
    static let pageCount = 16
    /// The number of windows in memory, each in the slot determined by its index.
    static let count = 32

    /// The index of the window in the file; -1 for none.
    private(set) var index = -1
    /// The bytes read: fewer at the end of the file, none if the read failed.
    private(set) var bytes: [UInt8] = []

    /// Reads window `index` of `file`, as far as it is readable.
    mutating func read(_ index: Int, pageSize: Int, _ file: PageFile) {
        self.index = index
        let count = Self.pageCount * pageSize
        if bytes.count != count { bytes = [UInt8](repeating: 0, count: count) }
        let filled = (try? file.read(into: &bytes, from: 0, at: index * count)) ?? 0
        if filled < count { bytes.removeLast(count - filled) }
    }
}
