/// Finds whole words in UTF-8 text, ignoring the case of ASCII letters.
///
/// A word ends where neither an ASCII letter nor a digit follows, and begins likewise: `N0CALL` is found in `n0call/p`
/// and `(N0CALL)`, and not in `N0CALLX`.
package struct WordSearch {
    private let word: [UInt8]

    /// Creates a search for `word`; an empty word is never found.
    package init(_ word: String) { self.word = word.utf8.map(Self.folded) }

    /// Returns whether `text` contains the word. Cost: O(bytes).
    package func isFound(in text: some RandomAccessCollection<UInt8>) -> Bool {
        guard let first = word.first, text.count >= word.count else { return false }
        var start = text.startIndex
        let last = text.index(text.endIndex, offsetBy: -word.count)
        while start <= last {
            if Self.folded(text[start]) == first, isWord(at: start, in: text) { return true }
            start = text.index(after: start)
        }
        return false
    }

    private func isWord<Text: RandomAccessCollection<UInt8>>(at start: Text.Index, in text: Text) -> Bool {
        if start > text.startIndex, Self.isPartOfWord(text[text.index(before: start)]) { return false }
        let end = text.index(start, offsetBy: word.count)
        if end < text.endIndex, Self.isPartOfWord(text[end]) { return false }
        return zip(word, text[start..<end]).allSatisfy { $0 == Self.folded($1) }
    }

    private static func folded(_ byte: UInt8) -> UInt8 { (0x61...0x7A).contains(byte) ? byte - 32 : byte }

    private static func isPartOfWord(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}
