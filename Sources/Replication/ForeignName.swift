/// Something in the folder of a ``FolderTransport`` that no store has put there.
public struct ForeignName: Hashable, Sendable {
    /// The path from the folder on, with `/` between the parts.
    ///
    /// It may contain any character but NUL; invalid Unicode is shown as U+FFFD. Treat it as untrusted: escape it for
    /// display, and do not open it.
    public let path: String
    /// The apparent kind.
    public let kind: Kind

    /// Creates a foreign name from its parts.
    public init(path: String, kind: Kind) {
        self.path = path
        self.kind = kind
    }

    /// The apparent kind of a foreign name.
    public enum Kind: Hashable, Sendable {
        /// A conflict copy of an object, or of a folder with that name, made by a program that synchronises folders:
        /// two machines had stored different files under the name.
        case conflictCopy(of: ObjectName)
        /// An object in a cloud that this machine has not downloaded.
        case notDownloaded(ObjectName)
        /// A symbolic link, whatever its target.
        case symbolicLink
        /// A device, a FIFO or a socket.
        case special
        /// Anything else, such as files of the system or of other programs.
        case other
    }
}

extension ForeignName.Kind {
    /// Classifies the name in the folder `prefix`; `nil` for an object, or a folder of objects.
    init?(of name: String, below prefix: String, _ status: FileStatus.Kind) {
        switch status {
        case .symbolicLink: self = .symbolicLink
        case .special: self = .special
        case .file, .folder:
            if RemoteFileNames.isOfObject(name), ObjectName(prefix + name) != nil { return nil }
            if let object = RemoteFileNames.object(ofPlaceholder: name).flatMap({ ObjectName(prefix + $0) }) {
                self = .notDownloaded(object)
            } else if let object = RemoteFileNames.original(of: name).flatMap({ ObjectName(prefix + $0) }) {
                self = .conflictCopy(of: object)
            } else {
                self = .other
            }
        }
    }
}
