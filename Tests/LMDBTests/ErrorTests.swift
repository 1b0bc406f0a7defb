import Testing

@testable import GroundwaveLMDB

@Suite struct `Every error` {
    private static let reasons: [LMDBError.Reason] = [
        .missing, .empty, .truncated(expected: 8192, actual: 4096), .exists, .notLMDB,
        .versionMismatch(found: 999), .damaged(code: -30796, text: "page not found"), .mapFull(mapSizeBytes: 1 << 20),
        .readersFull(maximum: 126), .locked(by: nil), .permission, .readOnly, .readOnlyFileSystem,
        .diskFull(freeBytes: 512), .inputOutput(errno: 5), .mustReopen, .keyOrder, .keySize(byteCount: 600),
        .valueTooLarge(byteCount: 1 << 33), .transactionTooLarge, .tableName("a\0b"), .tablesFull(maximum: 16),
        .noTable, .noEntry, .closed, .inUse, .other(code: 77, text: "something"), .system(errno: 24),
    ]

    @Test func `names the file and says something of its own, with what helps`() {
        var seen: Set<String> = []
        for reason in Self.reasons {
            let text = LMDBError(reason, path: "/here/log.mdb", during: .commit).description
            #expect(text.hasPrefix("/here/log.mdb: "), "\(reason)")
            #expect(text.hasSuffix("."), "\(reason)")
            #expect(seen.insert(text).inserted, "\(reason) is told apart from the others")
        }
        let numbers = Self.reasons.map { LMDBError($0, path: "x", during: .read).description }.joined()
        for number in ["8192", "4096", "999", "-30796", "1048576", "126", "512", "600", "8589934592", "16", "77"] {
            #expect(numbers.contains(number), "the number to act on: \(number)")
        }
    }
}
