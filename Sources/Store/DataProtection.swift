import Foundation

/// How Apple's Data Protection guards the files of a store. On macOS and other systems it has no effect.
///
/// Files that are created in a folder get its class ("Encrypting your app's files", Apple).
public enum DataProtection: String, Hashable, Sendable, CaseIterable {
    /// Readable once the device was unlocked after its start, also while it is locked again: for work in the background.
    case untilFirstUnlock
    /// Readable only while the device is unlocked. The application suspends the store before the device is locked, since a
    /// page of a map that cannot be read ends the process.
    case whileUnlocked
    /// As the folder and the application have it.
    case unchanged

    #if os(iOS) || os(visionOS) || os(tvOS) || os(watchOS)
    fileprivate var type: FileProtectionType? {
        switch self {
        case .untilFirstUnlock: .completeUntilFirstUserAuthentication
        case .whileUnlocked: .complete
        case .unchanged: nil
        }
    }
    #endif
}

extension StoreFiles {
    /// What must be in no backup, or is of no use there: a key and a token that came back would make a restored store take
    /// itself for the original, and the other files are made anew from the log.
    package func outOfBackups(_ stateFolder: URL) -> [URL] {
        [URL(filePath: identity), URL(filePath: views), snapshotFolder, stateFolder]
    }

    /// Applies the protection to the folder and all that is in it, and excludes files from backups. On other systems than
    /// Apple's this does nothing.
    ///
    /// What fails is logged only: the files are then protected as the system does by itself, and a store that is restored
    /// with its key is still found to be a copy by its token.
    func protect(_ protection: DataProtection, stateFolder: URL) {
        #if os(iOS) || os(visionOS) || os(tvOS) || os(watchOS)
        if let type = protection.type {
            let below = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            for case let file as URL in [folder] + (below?.allObjects ?? []) {
                Self.trying("protect", file) {
                    try FileManager.default.setAttributes([.protectionKey: type], ofItemAtPath: file.path)
                }
            }
        }
        #endif
        for file in outOfBackups(stateFolder) { Self.excludeFromBackups(file) }
    }

    /// Excludes a file, or a folder and all that is in it, from backups, as far as it exists. A file that takes its name later
    /// has to be excluded anew.
    static func excludeFromBackups(_ file: URL) {
        #if canImport(Darwin)
        guard FileManager.default.fileExists(atPath: file.path) else { return }
        trying("exclude from backups", file) {
            var file = file
            var values = URLResourceValues()
            values.isExcludedFromBackup = true
            try file.setResourceValues(values)
        }
        #endif
    }

    #if canImport(Darwin)
    private static func trying(_ what: String, _ file: URL, _ body: () throws -> Void) {
        do { try body() } catch {
            Subsystem.store.logger.warning(
                "a file could not be treated as wanted",
                metadata: ["what": "\(what)", "file": "\(file.lastPathComponent)", "reason": "\(error)"])
        }
    }
    #endif
}
