/// Something in the folder of a ``FolderTransport`` that no store has put there.
public struct ForeignName: Hashable, Sendable {
    /// Where it is, from the folder on, with `/` between the parts.
    ///
    /// It comes from outside and may hold any character but NUL; what is no Unicode in it is shown as U+FFFD. Show it
    /// with care, and do not open it.
    public let path: String
    /// What it seems to be.
    public let kind: Kind

    /// A foreign name of these parts.
    public init(path: String, kind: Kind) {
        self.path = path
        self.kind = kind
    }

    /// What a foreign name seems to be.
    public enum Kind: Hashable, Sendable {
        /// A copy of an object, or of a folder of that name, that a program has made which keeps folders of several
        /// machines the same: two of them had stored different files under this name.
        case conflictCopy(of: ObjectName)
        /// An object that a cloud has and this machine has not downloaded.
        case notDownloaded(ObjectName)
        /// A symbolic link, wherever it leads.
        case symbolicLink
        /// A device, a FIFO or a socket.
        case special
        /// Anything else, such as what systems and programs put into folders for themselves.
        case other
    }
}

extension ForeignName.Kind {
    /// What the name in the folder `prefix` seems to be; `nil` for an object, or a folder of objects.
    init?(of name: String, below prefix: String, _ status: FileStatus.Kind) {
        switch status {
        case .symbolicLink: self = .symbolicLink
        case .special: self = .special
        case .file, .folder:
            if PlaceNames.isOfObject(name), ObjectName(prefix + name) != nil { return nil }
            if let object = PlaceNames.placeheld(by: name).flatMap({ ObjectName(prefix + $0) }) {
                self = .notDownloaded(object)
            } else if let object = PlaceNames.original(of: name).flatMap({ ObjectName(prefix + $0) }) {
                self = .conflictCopy(of: object)
            } else {
                self = .other
            }
        }
    }
}
