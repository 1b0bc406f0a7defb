import Foundation
import GroundwaveEventLog
import GroundwaveEvents

/// All archives of one log, read as a single one.
package struct Archives {
    private var readers: [(path: String, reader: ArchiveReader)]

    /// Opens the files at `paths`.
    ///
    /// - Throws: ``StoreError`` with code `notFound` if a file does not exist, `damaged` if it is not an archive of
    ///   this log.
    package init(_ paths: [String], of log: LogID) throws {
        readers = []
        for path in paths {
            guard FileManager.default.fileExists(atPath: path) else {
                throw StoreError(.notFound, "There is no file \(path).")
            }
            let reader = try Self.naming(path) { try ArchiveReader(path) }
            guard reader.information.log == log else { throw Self.error(.otherLog, path) }
            readers.append((path, reader))
        }
    }

    /// The number of events in all files together.
    package var eventCount: Int { readers.reduce(0) { $0 + $1.reader.information.eventCount } }

    /// Verifies every byte of every file; throws if any differs from what was written.
    package func verify() throws {
        for (path, reader) in readers { try Self.naming(path) { try reader.verify() } }
    }

    /// Returns the whole frame of an event; `nil` if no archive has it.
    package mutating func frame(of event: EventID) throws -> [UInt8]? {
        for index in readers.indices {
            let path = readers[index].path
            if let frame = try Self.naming(path, { try readers[index].reader.frame(of: event) }) { return frame }
        }
        return nil
    }

    private static func naming<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as ArchiveError { throw Self.error(error, path) }
    }

    private static func error(_ error: ArchiveError, _ path: String) -> StoreError {
        switch error {
        case .notAnArchive:
            StoreError(
                .damaged, "\(path) is not an archive.", hint: "Name another file. To make an archive: \(.archive)",
                cause: error)
        case .damaged(let what):
            StoreError(.damaged, "The archive \(path) is damaged: \(what).", hint: "Use another copy.", cause: error)
        case .damagedEvents(let ranges):
            StoreError(
                .damaged,
                """
                The archive \(path) is damaged: \(ranges.reduce(0) { $0 + $1.count }) of its events cannot be read. The \
                first of them is \(EventID(ranges[0].replica, ranges[0].first).short).
                """, hint: "Use another copy. To see them: \(.list(.damageOfArchive))", cause: error)
        case .otherLog:
            StoreError(
                .damaged, "\(path) is an archive of another log.", hint: "Name an archive of this log.", cause: error)
        }
    }
}
