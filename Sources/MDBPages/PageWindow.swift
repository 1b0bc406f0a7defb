/// A page within the bytes that were read with it.
struct Page {
    let window: [UInt8]
    let range: Range<Int>
}

/// Some pages that lie side by side, read at once: a log is mostly written in order, so they are wanted in order.
struct PageWindow {
    /// Pages of a window: 64 KiB where pages have 4 KiB.
    static let pageCount = 16
    /// How many windows are kept, each in the slot that its index falls on.
    static let count = 32

    /// Which window of the file this is; -1 for none.
    private(set) var index = -1
    /// What was read of it: less at the end of the file, nothing where the system refused.
    private(set) var bytes: [UInt8] = []

    /// Reads the window `index` of `file`, as far as that works.
    mutating func read(_ index: Int, pageSize: Int, _ file: PageFile) {
        self.index = index
        let count = Self.pageCount * pageSize
        if bytes.count != count { bytes = [UInt8](repeating: 0, count: count) }
        let filled = (try? file.read(into: &bytes, from: 0, at: index * count)) ?? 0
        if filled < count { bytes.removeLast(count - filled) }
    }
}
