import Foundation

extension FolderObjects {
    func put(_ name: ObjectName, _ bytes: [UInt8]) throws(TransportError) -> PutOutcome {
        guard bytes.count <= Self.largest else { throw .tooLarge(name, byteCount: bytes.count) }
        let last = name.parts.last!
        guard !RemoteFileNames.isOfConflictCopy(last) else {
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

    /// Writes a temporary file, and renames it when it is complete.
    func replace(_ name: ObjectName, _ bytes: [UInt8]) throws(TransportError) {
        guard bytes.count <= Self.largest else { throw .tooLarge(name, byteCount: bytes.count) }
        let last = name.parts.last!
        guard !RemoteFileNames.isOfConflictCopy(last) else {
            throw .refused(name, "Programs that copy folders give such names to copies of objects.")
        }
        let folder = try madeFolder(of: name)
        _ = try isTaken(last, in: folder, as: name)
        let aside = RemoteFileNames.unused()
        let file = try made(aside, in: folder)
        do {
            try removeLeftOvers(in: folder, now: try file.status().modifiedSeconds)
            try file.write(bytes)
            try folder.rename(aside, to: last)
        } catch {
            _ = try? folder.remove(aside)
            throw error
        }
        try folder.flush()
    }

    private func made(_ aside: String, in folder: borrowing OpenFolder) throws(TransportError) -> ObjectFile {
        guard let file = try folder.makeFile(aside) else {
            throw .unreachable("The file \(folder.path)/\(aside) already exists, although its name is random.")
        }
        return file
    }

    /// Returns whether there is an object of that name, here or only in the cloud.
    private func isTaken(
        _ part: String, in folder: borrowing OpenFolder, as name: ObjectName
    ) throws(TransportError) -> Bool {
        if let status = try folder.status(of: part) {
            if let refusal = status.refusal { throw .refused(name, refusal) }
            return true
        }
        return try folder.status(of: RemoteFileNames.placeholder(of: part)) != nil
    }

    /// Writes a temporary file, and links it to its name when it is complete; `nil` if the file system cannot do
    /// that.
    private func putByLink(
        _ part: String, _ bytes: [UInt8], in folder: borrowing OpenFolder, as name: ObjectName
    ) throws(TransportError) -> PutOutcome? {
        let aside = RemoteFileNames.unused()
        let file = try made(aside, in: folder)
        // If this fails, a later writer removes the file.
        defer { _ = try? folder.remove(aside) }
        try removeLeftOvers(in: folder, now: try file.status().modifiedSeconds)
        try file.write(bytes)
        let code = folder.link(aside, as: part)
        if TransportError.isWithoutLinks(code) { return nil }
        // A server that executed the call twice, since its first reply was lost, reports that the name exists: it is
        // ours.
        let isOurs = code == EEXIST ? try file.status().linkCount == 2 : code == 0
        if isOurs {
            try folder.flush()
            return .stored
        }
        guard code == EEXIST else { throw .system(code, "The file \(folder.path)/\(part) cannot be created") }
        guard try isTaken(part, in: folder, as: name) else {
            throw .unreachable("The object \(name) was deleted just after another device had stored it.")
        }
        return .exists
    }

    /// Writes the file under its name; readers may see part of it.
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

    /// Removes temporary files that crashed writers left at least an hour ago.
    ///
    /// Their age is measured by the clock that set their date: that of the machine with the folder. Each folder is
    /// searched when the first object is stored in it, and then once an hour.
    private func removeLeftOvers(in folder: borrowing OpenFolder, now: Int) throws(TransportError) {
        let hour = 3600
        let path = folder.path
        let isDue = state.withLock { state in
            if let last = state.searched[path], (last..<last + hour).contains(now) { return false }
            state.searched[path] = now
            return true
        }
        guard isDue else { return }
        for name in try folder.names() where RemoteFileNames.isAside(name) {
            if let status = try folder.status(of: name), status.kind == .file, status.modifiedSeconds <= now - hour {
                try folder.remove(name)
            }
        }
    }
}
