import Everything
import Foundation
import Groundwave
import GroundwaveTesting
import Testing

@Suite struct `Digests` {
    @Test func `the digest is the same after the views were deleted`() async throws {
        let temporary = try await TemporaryStore(.full())
        try await temporary.store.importText(generatedLog(300))
        let contact = try #require(try temporary.store.firstContact())
        _ = try await temporary.store.write { try $0.remove("qso", contact.id) }
        let before = try temporary.store.digest()
        try temporary.store.close()
        try FileManager.default.removeItem(at: temporary.url.appending(path: "views.mdb"))
        let store = try await temporary.reopened(.full())
        #expect(try store.digest() == before)
        try store.close()
    }

    @Test func `the content does not depend on the order of fields and contacts, nor on ids`() async throws {
        let first = try await TemporaryStore(.full())
        try await first.store.importText(
            adi(["CALL": "W1AW", "QSO_DATE": "20260501", "BAND": "20m"]) + adi(["CALL": "N0CALL", "BAND": "40m"]))
        let second = try await TemporaryStore(.full())
        try await second.store.importText(
            adi(["BAND": "40m", "CALL": "N0CALL"]) + adi(["BAND": "20m", "CALL": "W1AW", "QSO_DATE": "20260501"]))
        let (one, other) = (try first.store.digest(), try second.store.digest())
        #expect(one.content == other.content)
        #expect(one.views != other.views)
    }

    @Test func `one more of two equal contacts is another content`() async throws {
        let record = adi(["CALL": "W1AW", "QSO_DATE": "20260501", "TIME_ON": "1200", "BAND": "20m"])
        let first = try await TemporaryStore(.full())
        try await first.store.importText(record + record)
        let second = try await TemporaryStore(.full())
        try await second.store.importText(record + record + record)
        #expect(try first.store.digest().contentCount == 2)
        #expect(try first.store.digest().content != second.store.digest().content)
    }

    @Test func `a hidden contact is not in the content, and comes back with it`() async throws {
        let temporary = try await TemporaryStore(.full())
        try await temporary.store.importText(generatedLog(3))
        let before = try temporary.store.digest()
        let contact = try #require(try temporary.store.firstContact())
        _ = try await temporary.store.write { try $0.remove("qso", contact.id) }
        #expect(try temporary.store.digest().content != before.content)
        _ = try await temporary.store.write { try $0.restore("qso", contact.id) }
        #expect(try temporary.store.digest().content == before.content)
        #expect(try temporary.store.digest().views != before.views)
    }

    @Test func `a value that moves from one field to the next is another content`() async throws {
        let first = try await TemporaryStore(.full())
        try await first.store.importText(adi(["CALL": "W1AW", "NAME": "AB", "QTH": "C"]))
        let second = try await TemporaryStore(.full())
        try await second.store.importText(adi(["CALL": "W1AW", "NAME": "A", "QTH": "BC"]))
        #expect(try first.store.digest().content != second.store.digest().content)
    }

    @Test func `no two of the 256 words begin alike or are one letter apart`() {
        let words = DigestWords.list
        #expect(words.count == 256)
        #expect(words == words.sorted())
        #expect(Set(words.map { $0.prefix(3) }).count == 256)
        for word in words {
            #expect(word.allSatisfy { $0.isASCII && $0.isLowercase })
            #expect(word.count <= 9)
            let oneOff = Self.oneLetterOff(word)
            #expect(!words.contains { $0 != word && oneOff.contains($0) }, "\(word)")
        }
    }

    @Test func `words stand for the first bytes of a digest`() async throws {
        let temporary = try await TemporaryStore(.full())
        let hash = try temporary.store.digest().content
        let words = DigestWords.words(of: hash)
        let bytes = words.compactMap { DigestWords.list.firstIndex(of: $0) }
        let digits = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        #expect("\(hash)".hasPrefix(digits))
        #expect(words.count == DigestWords.wordCount)
    }

    /// All that one letter more, less or other makes of `word`.
    private static func oneLetterOff(_ word: String) -> Set<String> {
        var result: Set<String> = []
        let letters = Array(word)
        for place in letters.indices {
            var less = letters
            less.remove(at: place)
            result.insert(String(less))
            for letter in "abcdefghijklmnopqrstuvwxyz" {
                var other = letters
                other[place] = letter
                result.insert(String(other))
            }
        }
        return result
    }
}
