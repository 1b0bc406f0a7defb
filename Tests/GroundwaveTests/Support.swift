import Foundation
import Groundwave
import GroundwaveEventLog
import GroundwaveLogbook
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveTesting

/// The collection of real logs, where it lies in a folder `shared/adif` beside one of the folders above this file.
enum Collection {
    static let folder: URL? = {
        var folder = URL(filePath: #filePath).deletingLastPathComponent()
        while folder.path != "/" {
            folder.deleteLastPathComponent()
            let candidate = folder.appending(path: "shared/adif")
            if FileManager.default.fileExists(atPath: candidate.path) { return candidate }
        }
        print("There is no collection of real logs beside this package: tests that need it are skipped.")
        return nil
    }()

    /// All logs of the collection, or those of one folder in it, in order of name.
    static func files(in name: String? = nil) -> [URL] {
        guard let folder else { return [] }
        let root = name.map { folder.appending(path: $0) } ?? folder
        let paths = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)?.allObjects ?? []
        return paths.compactMap { $0 as? URL }.filter {
            ["adi", "adif", "adx"].contains($0.pathExtension.lowercased())
        }
        .sorted { $0.path < $1.path }
    }
}

extension Store {
    /// Imports text as a file would be.
    @discardableResult
    func importText(_ text: String, named name: String = "test.adi", _ options: ImportOptions = ImportOptions())
        async throws -> ImportReport
    {
        try await importBytes(Array(text.utf8), named: name, options)
    }

    /// Imports bytes in pieces of a size that divides nothing.
    @discardableResult
    func importBytes(_ bytes: [UInt8], named name: String, _ options: ImportOptions = ImportOptions()) async throws
        -> ImportReport
    {
        let pieces = Pieces(bytes)
        return try await importLog(named: name, options) { pieces.next() }
    }

    /// Everything that an export writes.
    func exported(_ format: ExportFormat, _ query: ContactQuery = .everything) throws -> [UInt8] {
        var bytes: [UInt8] = []
        _ = try export(query, as: format, created: 0) { bytes += $0 }
        return bytes
    }

    /// The only contact, or the first one.
    func firstContact() throws -> Record? { try read { try $0.all(.everything).first } }
}

extension ContactQuery {
    /// All contacts, notes of activations included.
    static var everything: ContactQuery {
        var query = ContactQuery.contacts
        query.includesMetadata = true
        return query
    }
}

/// Bytes handed out piece by piece, to a reader on another thread.
final class Pieces: @unchecked Sendable {
    // Read by one import, one piece after the other.
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    func next() -> [UInt8]? {
        guard !rest.isEmpty else { return nil }
        defer { rest = rest.dropFirst(61_003) }
        return Array(rest.prefix(61_003))
    }
}

/// One record of ADI.
func adi(_ fields: KeyValuePairs<String, String>) -> String {
    fields.map { "<\($0.key):\($0.value.utf8.count)>\($0.value)" }.joined() + "<EOR>\n"
}

/// A log of `count` contacts that all differ.
func generatedLog(_ count: Int) -> String {
    var text = "generated\n<PROGRAMID:4>Test<EOH>\n"
    for number in 0..<count {
        let time = String(format: "%02d%02d%02d", number / 3600 % 24, number / 60 % 60, number % 60)
        text += adi([
            "CALL": "N0C\(number)", "QSO_DATE": "20260501", "TIME_ON": time, "BAND": "20m", "MODE": "CW",
        ])
    }
    return text
}

/// Gives each of two stores the events that it lacks of the other, as a sync does.
func exchange(_ first: Store, _ second: Store) throws {
    func log(_ store: Store) throws -> EventLog {
        try EventLog(opening: store.url.appending(path: "log.mdb").path)
    }
    // Not closed: the file is open once in a process, and the stores go on.
    let logs = [try log(first), try log(second)]
    let frames = try logs.map { log in
        var frames: [[UInt8]] = []
        try log.scan(from: 1) { _, frame, bytes in
            frames.append(bytes.extracting(0..<frame.length).toArray())
            return true
        }
        return frames
    }
    let arrival = Surroundings.system.now()
    _ = try logs[0].append(copying: frames[1], arrival: arrival)
    _ = try logs[1].append(copying: frames[0], arrival: arrival)
}
