import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveMDBPages

/// The check of a log's pages before liblmdb follows them.
package enum LogCheck {
    /// How much is checked.
    package enum Extent: Sendable {
        /// The pages that lead to the events: about 1 ms for 250 MB.
        case branches
        /// Every page and every event: about 0.5 s for 250 MB.
        case everything
    }

    /// Describes the damage of the log at `path` in plain words; `nil` if there is none.
    ///
    /// Declared losses are not damage. A log of another format is not judged. A log that other processes write to so
    /// fast that it could not be read to its end counts as undamaged: they checked it when they opened it.
    ///
    /// - Throws: ``PageFileError`` if the system cannot read the file.
    package static func damage(of path: String, _ extent: Extent) throws -> String? {
        guard let damage = try found(in: path, extent) else { return nil }
        if let format = LogVerifier.format(path: path), format != LogTables.format { return nil }
        return damage
    }

    private static func found(in path: String, _ extent: Extent) throws -> String? {
        if let damage = try PageCheck.branches(of: path).first { return "\(damage)" }
        guard extent == .everything else { return nil }
        let report = try LogVerifier.verify(path: path)
        guard report.isSettled, let damage = report.damage.first(where: { $0.what != .lostRange }) else { return nil }
        return (damage.position.map { "at position \($0) of the log: " } ?? "") + damage.detail
    }

    /// Throws if the log at `path`, which another process has changed, is damaged or cannot be checked now.
    package static func check(_ path: String) throws(LMDBError) {
        let damage: String?
        do { damage = try Self.damage(of: path, .everything) } catch {
            // Never write to a log that could not be checked.
            let code = (error as? PageFileError)?.code ?? 0
            throw LMDBError(.inputOutput(errno: code), path: path, during: .write)
        }
        if let damage { throw LMDBError(.damaged(code: 0, text: damage), path: path, during: .write) }
    }
}
