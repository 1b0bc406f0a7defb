import Foundation

extension FolderObjects {
    func put(_ name: ObjectName, _ bytes: [UInt8]) throws(TransportError) -> PutOutcome {
        guard bytes.count <= Self.largest else { throw .tooLarge(name, byteCount: bytes.count) }
        let last = name.parts.last!
        guard !PlaceNames.isOfConflictCopy(last) else {
            throw .refused(name, "Programs that copy folders give such names to copies of objects.")
        }
        let folder = try madeFolder(of: name)
        if try isTaken(last, in: folder, as: name) { return .exists }
        if state.withLock({ $0.hasLinks }) {
            if let outcome = try putByLink(last, bytes, in: folder, as: name) { return outcome }
            state.withLock { $0.hasLinks = false }
        }
        return try putInPlace(last, bytes, in: folder, as: name)
    }

    /// Whether there is an object of that name, here or only in the cloud.
    private func isTaken(
        _ part: String, in folder: borrowing OpenFolder, as name: ObjectName
    ) throws(TransportError) -> Bool {
        if let status = try folder.status(of: part) {
            if let refusal = status.refusal { throw .refused(name, refusal) }
            return true
        }
        return try folder.status(of: PlaceNames.placeholder(of: part)) != nil
    }

    /// Writes the file aside, and gives it its name when it is whole; `nil` where the file system cannot do that.
    private func putByLink(
        _ part: String, _ bytes: [UInt8], in folder: borrowing OpenFolder, as name: ObjectName
    ) throws(TransportError) -> PutOutcome? {
        let aside = PlaceNames.unused()
        guard let file = try folder.makeFile(aside) else {
            throw .unreachable("The file \(folder.path)/\(aside) already exists, although its name is random.")
        }
        // When this fails, the next writer removes it.
        defer { _ = try? folder.remove(aside) }
        try removeLeftOvers(in: folder, now: try file.status().modifiedSeconds)
        try file.write(bytes)
        let code = folder.link(aside, as: part)
        if TransportError.isWithoutLinks(code) { return nil }
        // A server that was asked twice, since its first answer was lost, says that the name is taken: by us.
        let isOurs = code == EEXIST ? try file.status().linkCount == 2 : code == 0
        if isOurs {
            try folder.flush()
            return .stored
        }
        guard code == EEXIST else { throw .system(code, "The file \(folder.path)/\(part) cannot be given its name") }
        guard try isTaken(part, in: folder, as: name) else {
            throw .unreachable("The object \(name) was deleted just after another device had stored it.")
        }
        return .exists
    }

    /// Writes the file where it belongs: readers may see part of it.
    private func putInPlace(
        _ part: String, _ bytes: [UInt8], in folder: borrowing OpenFolder, as name: ObjectName
    ) throws(TransportError) -> PutOutcome {
        guard let file = try folder.makeFile(part) else {
            _ = try isTaken(part, in: folder, as: name)
            return .exists
        }
        do { try file.write(bytes) } catch {
            _ = try? folder.remove(part)
            throw error
        }
        try folder.flush()
        return .stored
    }

    /// Removes files that crashed writers have left aside an hour ago or earlier.
    ///
    /// Their age is told by the clock that has dated them: that of the machine that holds the folder. Each folder is
    /// searched at the first object that is stored in it, and then once an hour.
    private func removeLeftOvers(in folder: borrowing OpenFolder, now: Int) throws(TransportError) {
        let hour = 3600
        let path = folder.path
        let isDue = state.withLock { state in
            if let last = state.searched[path], (last..<last + hour).contains(now) { return false }
            state.searched[path] = now
            return true
        }
        guard isDue else { return }
        for name in try folder.names() where PlaceNames.isAside(name) {
            if let status = try folder.status(of: name), status.kind == .file, status.modifiedSeconds <= now - hour {
                try folder.remove(name)
            }
        }
    }
}
