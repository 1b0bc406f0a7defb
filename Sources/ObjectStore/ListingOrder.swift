/// The order of what is directly in a folder of a bucket.
///
/// Objects are named in byte order of whole names, so that the folder `a` comes where `a/` comes: behind `a-1`, since `-`
/// precedes `/`. Amazon's service lists so. A server that keeps folders, such as SeaweedFS, has `a` before `a-1`. What is read
/// here is right for both.
enum ListingOrder {
    /// An object or a folder, by its name in the folder that is listed.
    struct Entry: Hashable {
        let name: String
        let isFolder: Bool
        let byteCount: Int

        /// Where it stands.
        var position: String { isFolder ? name + "/" : name }
    }

    /// Returns what to start a listing after, so that whatever comes behind `name` is in it by either order; `nil` for its
    /// beginning. Some that comes before may be in it too.
    ///
    /// Only a folder can be out of place, and only if `name` goes on behind its name with `-` or `.`.
    static func mark(before name: Substring) -> String? {
        var start = name.utf8.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ".") }
        guard let last = start.popLast() else { return nil }
        // Between the letter before the last one, with all that begins so, and the last one itself.
        return String(decoding: start, as: UTF8.self) + String(Unicode.Scalar(last - 1)) + "~"
    }

    /// Takes those entries, in order, before which nothing can come on a later page.
    ///
    /// - Parameter last: The greatest name so far; `nil` if there is no later page.
    static func takeKnown(from entries: inout [Entry], last: String?) -> [Entry] {
        entries.sort { $0.position < $1.position }
        guard let last else {
            defer { entries = [] }
            return entries
        }
        let count = entries.firstIndex { $0.position > last } ?? entries.count
        defer { entries.removeFirst(count) }
        return Array(entries.prefix(count))
    }
}
