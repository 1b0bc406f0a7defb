/// The two meta pages of an LMDB file, read with `pread` before liblmdb maps the file: a file that is shorter than its
/// contents would end the process with SIGBUS at the first touch past the end.
///
/// Layout (mdb.c 0.9, `MDB_page` and `MDB_meta`; all numbers in host byte order):
///
/// | offset | size | |
/// |---|---|---|
/// | 10 | 2 | page flags; 0x08 = meta |
/// | 16 | 4 | magic, 0xBEEFC0DE |
/// | 20 | 4 | data version, 1 |
/// | 32 | 8 | map size |
/// | 40 | 4 | page size |
/// | 80 | 8 | root page of the table of free pages; all ones = empty |
/// | 136 | 8 | last page in use |
/// | 144 | 8 | transaction number |
struct MetaPages {
    /// One meta page.
    struct Meta {
        let mapSizeBytes: UInt64
        let pageSize: Int
        let freeRoot: UInt64
        let lastPage: UInt64
        let transaction: UInt64
    }

    /// The newest of the two.
    let newest: Meta

    private static let byteCount = 152
    private static let magic: UInt32 = 0xBEEF_C0DE
    private static let pageSizes = [4096, 8192, 16384, 32768, 65536, 512, 1024, 2048]

    /// The length of the file, in bytes, if every page up to the last one in use was written.
    let contentByteCount: Int

    /// Reads and checks the meta pages of `file`.
    init(_ file: borrowing OpenFile) throws(Refusal) {
        let fileSize: Int
        do { fileSize = Int(try file.status().st_size) } catch { throw Refusal(error) }
        guard fileSize > 0 else { throw Refusal(.empty) }
        guard fileSize >= Self.byteCount else { throw Refusal(.truncated(expected: 2 * 4096, actual: fileSize)) }
        guard let first = try Self.read(file, at: 0) else { throw try Self.refusal(ofFirstPage: file) }
        guard fileSize >= 2 * first.pageSize else {
            throw Refusal(.truncated(expected: 2 * first.pageSize, actual: fileSize))
        }
        guard let second = try Self.read(file, at: first.pageSize), second.pageSize == first.pageSize else {
            throw Refusal(.damaged(code: invalidFile, text: "the second meta page is damaged"))
        }
        newest = second.transaction > first.transaction ? second : first
        let (length, overflow) = (newest.lastPage &+ 1).multipliedReportingOverflow(by: UInt64(newest.pageSize))
        guard !overflow, newest.lastPage < UInt64.max, length <= UInt64(Int.max) else {
            throw Refusal(.damaged(code: invalidFile, text: "the newest meta page counts too many pages"))
        }
        contentByteCount = Int(length)
    }

    /// Rewrites the two meta pages of `file`, a new one that no process has open: both describe its newest state, and
    /// have the numbers `last` and `last` - 1.
    ///
    /// Transaction N writes meta page N mod 2 (mdb.c, mdb_env_write_meta), so LMDB looks for it there.
    static func continueCounting(
        from last: UInt64, in file: borrowing OpenFile, pageSize: Int
    ) throws(SystemError) {
        let pages = try file.read(2 * pageSize, at: 0)
        precondition(pages.count == 2 * pageSize, "A file that was just written has both meta pages.")
        let isSecondNewer =
            pages.integer(at: pageSize + 144, as: UInt64.self) > pages.integer(at: 144, as: UInt64.self)
        let newest = pages[(isSecondNewer ? pageSize : 0)..<(isSecondNewer ? 2 * pageSize : pageSize)]
        var written: [UInt8] = []
        for index in [UInt64(0), 1] {
            var page = Array(newest)
            let number = last & 1 == index ? last : last - 1
            page.replaceSubrange(0..<8, with: hostBytes(of: index))
            page.replaceSubrange(144..<152, with: hostBytes(of: number))
            written += page
        }
        try file.write(written)
    }

    /// Why a file is refused.
    struct Refusal: Error {
        let reason: LMDBError.Reason
        init(_ reason: LMDBError.Reason) { self.reason = reason }
        init(_ failure: SystemError) { reason = .inputOutput(errno: failure.code) }
    }

    /// The meta page at `offset`, or nil if there is none.
    private static func read(_ file: borrowing OpenFile, at offset: Int) throws(Refusal) -> Meta? {
        let bytes: [UInt8]
        do { bytes = try file.read(byteCount, at: offset) } catch { throw Refusal(error) }
        guard bytes.count == byteCount, bytes.integer(at: 10, as: UInt16.self) & 0x08 != 0,
            bytes.integer(at: 16, as: UInt32.self) == magic
        else { return nil }
        let version = bytes.integer(at: 20, as: UInt32.self)
        guard version == 1 else { throw Refusal(.versionMismatch(found: Int(version))) }
        let pageSize = Int(bytes.integer(at: 40, as: UInt32.self))
        guard pageSizes.contains(pageSize) else {
            throw Refusal(.damaged(code: invalidFile, text: "a meta page has the page size \(pageSize)"))
        }
        return Meta(
            mapSizeBytes: bytes.integer(at: 32, as: UInt64.self), pageSize: pageSize,
            freeRoot: bytes.integer(at: 80, as: UInt64.self), lastPage: bytes.integer(at: 136, as: UInt64.self),
            transaction: bytes.integer(at: 144, as: UInt64.self))
    }

    /// Distinguishes a damaged LMDB file from a file of another kind, by its other meta page.
    private static func refusal(ofFirstPage file: borrowing OpenFile) throws(Refusal) -> Refusal {
        for pageSize in pageSizes {
            if let second = try? read(file, at: pageSize), second.pageSize == pageSize {
                return Refusal(.damaged(code: invalidFile, text: "the first meta page is damaged"))
            }
        }
        return Refusal(.notLMDB)
    }
}

/// `MDB_INVALID`, the code with which LMDB itself refuses a bad meta page.
let invalidFile: Int32 = -30793

extension [UInt8] {
    /// The integer of `type` at `offset`, in host byte order.
    ///
    /// - Precondition: The integer lies within the array.
    func integer<Number: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: Number.Type) -> Number {
        precondition(offset >= 0 && offset <= count - MemoryLayout<Number>.size, "An integer lies within its page.")
        // In bounds, as just checked; every bit pattern is an integer.
        return unsafe span.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: type)
    }
}
