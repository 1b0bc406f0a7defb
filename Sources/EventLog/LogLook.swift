import GroundwaveLMDB
import GroundwaveMDBPages

/// The look at the pages of a log, before liblmdb follows them.
package enum LogLook {
    /// How much is looked at.
    package enum Extent: Sendable {
        /// What leads to the events: about 1 ms for 250 MB.
        case branches
        /// Every page and every event: about 0.5 s for 250 MB.
        case everything
    }

    /// What is wrong with the log at `path`, in plain words; `nil` where that is nothing.
    ///
    /// Declared losses are no damage, and a log of a later version is none of ours to judge. What others write so fast that
    /// it could not be read to its end counts as whole: they have it open, and had looked.
    ///
    /// - Throws: ``PageFileError`` where the system does not give the file.
    package static func damage(of path: String, _ extent: Extent) throws -> String? {
        guard let damage = try found(in: path, extent) else { return nil }
        if let format = LogVerifier.format(path: path), format != EventLog.format { return nil }
        return damage
    }

    private static func found(in path: String, _ extent: Extent) throws -> String? {
        if let damage = try PageCheck.branches(of: path).first { return "\(damage)" }
        guard extent == .everything else { return nil }
        let report = try LogVerifier.verify(path: path)
        guard report.isSettled, let damage = report.damage.first(where: { $0.what != .hole }) else { return nil }
        return (damage.position.map { "at position \($0) of the log: " } ?? "") + damage.detail
    }

    /// Throws where the log at `path`, which somebody else has changed, is damaged, or cannot be looked at now.
    static func check(_ path: String) throws(LMDBError) {
        let damage: String?
        do { damage = try Self.damage(of: path, .everything) } catch {
            // What could not be looked at is not written to.
            let code = (error as? PageFileError)?.code ?? 0
            throw LMDBError(.inputOutput(errno: code), path: path, during: .write)
        }
        if let damage { throw LMDBError(.damaged(code: 0, text: damage), path: path, during: .write) }
    }
}
