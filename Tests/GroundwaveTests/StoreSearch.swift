import Foundation
import GroundwaveByteCoding
import GroundwaveCompression

/// Looks for text in every file of a folder, however it may be written there.
enum StoreSearch {
    /// The files below `folder` that hold any of `texts`, as UTF-8, UTF-16 or base64, in upper, lower or given case.
    ///
    /// The files are read as bytes, so every page of an LMDB file counts, free ones too. Compressed parts of a file are
    /// searched as they are and expanded.
    static func files(below folder: URL, holding texts: [String]) throws -> [String] {
        let needles = texts.flatMap { text in
            Set([text, text.uppercased(), text.lowercased()]).flatMap { forms(of: $0) }
        }
        let paths = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isRegularFileKey])
        return try (paths?.allObjects ?? []).compactMap { $0 as? URL }.filter { url in
            guard (try? url.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true else { return false }
            // What a store is just making may be gone again.
            guard let data = try? Data(contentsOf: url) else {
                guard FileManager.default.fileExists(atPath: url.path) else { return false }
                throw CocoaError(.fileReadUnknown)
            }
            let searched = [data] + expanded(data)
            return needles.contains { needle in searched.contains { $0.range(of: needle) != nil } }
        }.map(\.lastPathComponent).sorted()
    }

    /// What every zstd frame in `data` stands for that has its two lengths before it, as all of our files have them.
    private static func expanded(_ data: Data) -> [Data] {
        let bytes = [UInt8](data)
        var contents: [Data] = []
        for start in bytes.indices.dropLast(4) where Array(bytes[start..<start + 4]) == [0x28, 0xB5, 0x2F, 0xFD] {
            guard start >= 12 else { continue }
            let lengths = bytes.span.bytes
            let (length, stored) = (Int(lengths.uint32(at: start - 12)), Int(lengths.uint32(at: start - 8)))
            guard length < 1 << 26, start + stored <= bytes.count,
                let content = try? Zstd.decompress(lengths.extracting(start..<start + stored), count: length)
            else { continue }
            contents.append(Data(content))
        }
        return contents
    }

    private static func forms(of text: String) -> [Data] {
        let utf8 = Data(text.utf8)
        var forms = [utf8]
        for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian] {
            if let data = text.data(using: encoding) { forms.append(data) }
        }
        // What stands before it decides which of three ways base64 writes it; the letters at the ends belong to others too.
        for offset in 0..<3 {
            let whole = (Data(count: offset) + utf8).base64EncodedString()
            let first = [0, 2, 3][offset]
            let last = whole.count - [0, 3, 2][(offset + utf8.count) % 3]
            forms.append(Data(Array(whole.utf8)[first..<last]))
        }
        return forms
    }
}
