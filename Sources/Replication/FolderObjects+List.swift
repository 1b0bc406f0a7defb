extension FolderObjects {
    func list(
        prefix: ObjectPrefix, startAfter: ObjectName?, limit: Int
    ) throws(TransportError) -> [ObjectName] {
        var listing = Listing(startAfter: startAfter?.description ?? "", limit: limit)
        guard let folder = try folder(prefix.folder?.parts ?? []) else { return [] }
        try listing.add(folder, prefix.description)
        return listing.names
    }

    /// A traversal of folders that yields names in byte order.
    private struct Listing {
        let startAfter: String
        let limit: Int
        var names: [ObjectName] = []

        /// Adds the objects in `folder`, whose names start with `prefix`.
        mutating func add(_ folder: borrowing OpenFolder, _ prefix: String) throws(TransportError) {
            guard names.count < limit else { return }
            // Whether a name is a file or a folder is unknown until its status is read. So each name is a candidate
            // for both, at different places in the order: `a-1` sorts between `a` and `a/1`. Names are ASCII, so
            // strings sort in byte order.
            var candidates: [String] = []
            for name in try folder.names() where RemoteFileNames.isOfObject(name) {
                let path = prefix + name
                if path > startAfter { candidates.append(path) }
                let below = path + "/"
                if below > startAfter || startAfter.utf8.starts(with: below.utf8) { candidates.append(below) }
            }
            candidates.sort()
            for candidate in candidates {
                guard names.count < limit else { return }
                let isFolder = candidate.utf8.last == UInt8(ascii: "/")
                guard let object = ObjectName(isFolder ? String(candidate.dropLast()) : candidate) else { continue }
                let part = object.parts.last!
                guard let status = try folder.status(of: part) else { continue }
                if isFolder, status.kind == .folder {
                    if let inner = try folder.folder(part, as: object) { try add(inner, candidate) }
                } else if !isFolder, status.kind == .file {
                    names.append(object)
                }
            }
        }
    }

    func folders(prefix: ObjectPrefix, limit: Int) throws(TransportError) -> [String] {
        guard let folder = try folder(prefix.folder?.parts ?? []) else { return [] }
        var folders: [String] = []
        for name in try folder.names().filter(RemoteFileNames.isOfObject).sorted() {
            guard folders.count < limit else { break }
            guard ObjectName(prefix.description + name) != nil else { continue }
            if try folder.status(of: name)?.kind == .folder { folders.append(name) }
        }
        return folders
    }

    func foreignNames(limit: Int) throws(TransportError) -> [ForeignName] {
        var found: [ForeignName] = []
        try addForeignNames(in: try OpenFolder(root: root), "", limit, to: &found)
        return found
    }

    private func addForeignNames(
        in folder: borrowing OpenFolder, _ prefix: String, _ limit: Int, to found: inout [ForeignName]
    ) throws(TransportError) {
        let names = try folder.names().filter { !RemoteFileNames.isAside($0) }
        for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            guard found.count < limit else { return }
            let path = prefix + name
            if name.unicodeScalars.contains("\u{FFFD}") {
                // Its true name may be invalid Unicode, and cannot be passed to the system.
                found.append(ForeignName(path: path, kind: .other))
                continue
            }
            guard let status = try folder.status(of: name) else { continue }
            if let kind = ForeignName.Kind(of: name, below: prefix, status.kind) {
                found.append(ForeignName(path: path, kind: kind))
            } else if status.kind == .folder, let object = ObjectName(path),
                let inner = try folder.folder(name, as: object)
            {
                try addForeignNames(in: inner, path + "/", limit, to: &found)
            }
        }
    }
}
