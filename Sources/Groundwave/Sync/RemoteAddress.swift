import Foundation
import Replication

/// Where other stores of a log can be met.
public enum RemoteAddress: Hashable, Sendable, CustomStringConvertible {
    /// A folder that all of them can reach, now or later: a share, a stick, one that a cloud service copies.
    case folder(URL)

    /// The address that `text` says: `file:///path`, or the path of a folder.
    ///
    /// - Throws: ``StoreError`` with code `usage` where it is none that this version knows.
    public init(_ text: String) throws {
        if let url = URL(string: text), let scheme = url.scheme, text.contains("://") {
            guard scheme == "file", url.host() == nil || url.host() == "", url.path.hasPrefix("/") else {
                throw StoreError(
                    .usage, "“\(text)” is no address that groundwave knows.",
                    hint: "A folder is file:///path/to/folder, or just its path.")
            }
            self = .folder(URL(filePath: url.path).standardizedFileURL)
        } else {
            guard !text.isEmpty else {
                throw StoreError(.usage, "An address cannot be empty.", hint: "Name a folder: file:///path/to/folder.")
            }
            self = .folder(URL(filePath: text).standardizedFileURL)
        }
    }

    /// The address as it is written down.
    public var description: String {
        switch self {
        case .folder(let url): "file://\(url.path)"
        }
    }

    /// The place at this address.
    func transport() -> any Transport {
        switch self {
        case .folder(let url): FolderTransport(url)
        }
    }
}
