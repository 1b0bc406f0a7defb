import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveStore

/// The result of a replay.
public struct ReplayReport: Hashable, Sendable {
    /// The number of events that were folded.
    public let events: Int
    /// The duration in seconds.
    public let seconds: Double
    /// The digest of the views before; `nil` if they could not be read.
    public let before: ViewDigest?
    /// Why the views before could not be read; `nil` if they could.
    public let trouble: String?
    /// The digest of the rebuilt views.
    public let after: ViewDigest
    /// What was derived from records and differed: such as `the indexes of qso`, or `the projection NAME`.
    public let differing: [String]

    /// Whether the rebuilt views equal those before.
    public var isSame: Bool { before == after && differing.isEmpty }
}

extension Store {
    /// Rebuilds the views from the log in another file, compares the two, and replaces the present ones.
    ///
    /// Others may read and write meanwhile.
    ///
    /// - Throws: ``StoreError`` with code `notPermitted` if the store is read-only, `damaged` if an event cannot be
    ///   read, `inputOutput` if the disk is full; then the present views stay.
    /// - Complexity: As a rebuild: the whole log is folded.
    public func replay() throws -> ReplayReport {
        try describing {
            guard !isReadOnly else {
                throw StoreError(
                    .notPermitted, "The store \(files.folder.path) is read-only.",
                    hint: "What is possible: \(.replayElsewhere)")
            }
            let start = ContinuousClock.now
            let comparison = try views.rebuildComparing()
            return ReplayReport(comparison, since: start)
        }
    }

    /// Folds the log again in a temporary folder and compares the result with the present views. Writes nothing.
    ///
    /// - Throws: ``StoreError`` with code `damaged` if an event cannot be read, `inputOutput` if the temporary folder
    ///   has no room.
    /// - Complexity: As a rebuild: the whole log is folded.
    public func compareWithReplay() throws -> ReplayReport {
        try describing {
            let folder = try ScratchFolder()
            let start = ContinuousClock.now
            let comparison = try views.compare(foldingInto: folder.path(of: "views.mdb"))
            return ReplayReport(comparison, since: start)
        }
    }

    /// Copies every event into a new store in the folder at `url`, builds its views, and compares.
    ///
    /// The copy is a store of the same log with exactly the same events, so the digests are equal. It gets its own
    /// key, and its first write introduces it as a new replica: if both stores wrote as the old one, they would give
    /// one number to two events. If this throws, nothing is left behind.
    ///
    /// - Throws: ``StoreError`` with code `exists` if a store is there; `damaged` if an event cannot be read.
    /// - Complexity: The whole log is copied and folded.
    public func replay(to url: URL, deviceName: String? = nil) async throws -> ReplayReport {
        let start = ContinuousClock.now
        let target = StoreFiles(url, files.keychain)
        guard !target.exists else {
            throw StoreError(
                .exists, "There is already a store in \(target.folder.path).", hint: "Choose another folder.")
        }
        let isNewFolder = !FileManager.default.fileExists(atPath: target.folder.path)
        do {
            try describing { try copyLog(to: target) }
            var configuration = Configuration(components: components)
            configuration.keychain = files.keychain
            if let deviceName { configuration.deviceName = deviceName }
            let copy = try Store.openWhole(target, configuration, nil, areViewsDamaged: false)
            let (after, position) = try copy.read { (try $0.digest(), $0.position) }
            try copy.close()
            // The present views may have advanced meanwhile: they are compared as they were at the copy's last event.
            let folder = try ScratchFolder()
            let before = try describing {
                try views.digest(at: position, foldingInto: folder.path(of: "views.mdb"))
            }
            return ReplayReport(
                events: Int(position), seconds: ReplayReport.seconds(since: start), before: before, trouble: nil,
                after: after, differing: [])
        } catch {
            for path in [target.log, target.views] {
                for end in ["", "-lock", ".boot"] { unlink(path + end) }
            }
            unlink(target.identity)
            if isNewFolder { rmdir(target.folder.path) }
            throw error
        }
    }

    private func copyLog(to target: StoreFiles) throws {
        try target.makeFolder()
        var generator = surroundings.generator
        let identity = Identity.random(using: &generator)
        try target.write(identity)
        let copy = try EventLog.create(at: target.log, id: log.id, epoch: generator.next())
        try Incarnation(files: target, log: copy, surroundings: surroundings, stateFolder: stateFolder)
            .claimNew(identity)
        try copy.adoptStreams(of: log)
        if let root = try log.rosterRow().root { _ = try copy.believe(root) }
        var frames: [[UInt8]] = []
        var byteCount = 0
        func append() throws {
            if frames.isEmpty { return }
            _ = try copy.append(copying: frames, arrival: surroundings.now())
            frames.removeAll(keepingCapacity: true)
            byteCount = 0
        }
        try log.scan(from: 1) { _, frame, bytes in
            frames.append(bytes.extracting(0..<frame.length).toArray())
            byteCount += frame.length
            // A slice ends at the end of a batch, so that no batch is ever stored in part.
            if frame.rest == 0, byteCount > EventLimits.batchBytes { try append() }
            return true
        }
        try append()
        try copy.close()
    }
}

extension ReplayReport {
    init(_ comparison: ViewComparison, since start: ContinuousClock.Instant) {
        self.init(
            events: comparison.events, seconds: Self.seconds(since: start), before: comparison.before,
            trouble: comparison.trouble, after: comparison.after, differing: comparison.differing)
    }

    static func seconds(since start: ContinuousClock.Instant) -> Double {
        let duration = ContinuousClock.now - start
        return Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
    }
}
