import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveReplication
import GroundwaveSealedRemotes
import GroundwaveStore

/// The bundle that is written before a store is cleared: the events that were not found elsewhere.
struct ClearingBundle {
    let path: String

    /// Chooses a path beside the store in `folder`, with a name that is not taken.
    init(beside folder: URL, milliseconds: Int64) {
        let start = "\(Self.start(folder))\(UTCText.compact(milliseconds: milliseconds))"
        let names = sequence(first: 1) { $0 + 1 }.lazy.map { $0 == 1 ? "\(start).gwb" : "\(start)-\($0).gwb" }
        path = names.first { access($0, F_OK) != 0 }!
    }

    init(path: String) { self.path = path }

    private static func start(_ folder: URL) -> String { "\(folder.standardizedFileURL.path)-cleared-" }

    /// Deletes unfinished bundles of the store in `folder` whose process has ended.
    static func removeUnfinished(beside folder: URL) {
        let start = URL(filePath: start(folder))
        let parent = start.deletingLastPathComponent()
        for name in (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
        where name.hasPrefix(start.lastPathComponent) && name.contains(".gwb.part-") {
            unlink(parent.appending(path: name).path)
        }
    }

    /// Writes `missing` to the file, reads it back, and checks that it is complete.
    ///
    /// When this returns, the file is on the disk, readable by its owner only.
    ///
    /// - Throws: ``StoreError`` with code `exists` if the name is taken; the code for the system error; `damaged` if
    ///   what is read back is not what was written. Then there is no such file.
    func write(
        _ missing: Elsewhere.Missing, of store: Store, as identity: Identity, sealing writing: SealedTransport.Writing?
    ) throws {
        let log = store.log
        var status = stat()
        guard lstat(path, &status) != 0 else {
            throw StoreError(.exists, "The file \(path) already exists.", hint: "Name another file.")
        }
        var file = try AtomicFile(path, permissions: 0o600)
        let bundle = Bundle(of: log, as: identity, missing.events.ranges, kept: missing.kept)
        try bundle.write(sealing: writing) { bytes, _ in try file.write(bytes) }
        try file.finish(isReplacing: false)
        do { try verify(missing, of: store) } catch {
            unlink(path)
            throw error
        }
    }

    private func verify(_ missing: Elsewhere.Missing, of store: Store) throws {
        var found = try Elsewhere(log: store.log)
        let reader = try BundleReader(path, of: store)
        while let frames = try reader.frames(of: store.logID) { for frame in frames { try found.found(frame) } }
        guard found.holds(missing) else {
            throw StoreError(
                .damaged, "The bundle \(path) does not hold what was written to it.",
                hint: "Check the disk, or name a file on another one.")
        }
    }
}

extension Elsewhere {
    /// Returns whether all of `missing` was found.
    func holds(_ missing: Missing) -> Bool {
        missing.events.subtracting(events).isEmpty && missing.kept.allSatisfy(holds)
    }
}
