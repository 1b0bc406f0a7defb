import Foundation
import GroundwaveEvents
import GroundwaveReplication
import GroundwaveStore

/// A folder or device through which stores of the log synchronise, under the name that the user gave it.
public struct Remote: Hashable, Sendable {
    /// Its name on this device.
    public let name: String
    /// Its address.
    public let address: RemoteAddress
}

extension Store {
    /// Returns the remotes of this device, by name.
    public func remotes() throws -> [Remote] {
        try syncFile.read().remotes.sorted { $0.key < $1.key }.map {
            Remote(name: $0.key, address: try RemoteAddress($0.value))
        }
    }

    /// Returns the remote called `name`.
    ///
    /// - Throws: ``StoreError`` with code `notFound`, and the names of the existing remotes.
    public func remote(_ name: String) throws -> Remote {
        let all = try remotes()
        if let remote = all.first(where: { $0.name == name }) { return remote }
        throw StoreError(
            .notFound, "There is no remote called “\(name)”.",
            hint: all.isEmpty
                ? "To add one: \(.addRemote(address: nil))"
                : "The remotes are \(all.map(\.name).joined(separator: ", ")).")
    }

    /// Adds a remote. Nothing is pushed before the next ``sync(_:isPulling:isPushing:isFull:)``.
    ///
    /// A missing folder is created, but only the last part of its path: a USB stick that is not plugged in must not
    /// become a folder. A device need not be reachable now.
    ///
    /// - Throws: ``StoreError`` with code `exists` if a remote of that name has another address, or if another log is
    ///   at the address; `usage` if the name is invalid, or if the folder is inside the store; `unreachable`.
    public func add(remote name: String, at address: RemoteAddress) async throws {
        guard name.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9_-]{0,31}/) != nil else {
            throw StoreError(
                .usage, "“\(name)” is not a valid name for a remote.",
                hint: "Use up to 32 letters, digits, - and _, beginning with a letter or digit.")
        }
        try requireWritable()
        if case .folder(let url) = address {
            try refuseOwnFolder(url)
            do { try await FolderTransport(url).create() } catch { throw StoreError(error, at: address) }
        }
        try await checkLog(at: address)
        try syncFile.update { file in
            if let present = file.remotes[name], present != address.description {
                throw StoreError(
                    .exists, "There is already a remote called “\(name)”: \(present).",
                    hint: "Choose another name. Or \(.removeRemote(name)).")
            }
            file.remotes[name] = address.description
            return true
        }
    }

    /// Removes a remote. The data there stays.
    public func remove(remote name: String) throws {
        _ = try remote(name)
        try syncFile.update { file in
            file.remotes[name] = nil
            file.standings[name] = nil
            return true
        }
        unlink(files.cachePath(of: name))
    }

    /// Returns whether the user has switched synchronisation off.
    public func isSyncOff() throws -> Bool { try syncFile.read().isOff }

    /// Switches synchronisation off or on. This does not push, pull or delete anything, here or elsewhere.
    ///
    /// - Returns: Whether the setting changed.
    @discardableResult
    public func setSync(isOff: Bool) throws -> Bool {
        try requireWritable()
        return try syncFile.update { file in
            defer { file.isOff = isOff }
            return file.isOff != isOff
        }
    }

    package var syncFile: JSONFile<SyncFile> { SyncFile.file(of: files) }

    package func requireWritable() throws {
        guard !isReadOnly else {
            throw StoreError(
                .notPermitted, "The store \(url.path) is read-only.",
                hint: "Copy it to a folder that can be written.")
        }
    }

    /// Throws if another log is at `address`. A device that cannot be reached now is accepted.
    private func checkLog(at address: RemoteAddress) async throws {
        let found: LogID?
        do { found = try await Self.log(at: address, components) } catch {
            guard case .host = address, (error as? StoreError)?.code == .unreachable else { throw error }
            return
        }
        if let found, found != logID {
            throw StoreError(
                .exists, "There is a different log at \(address): \(found.short); this one is \(logID.short).",
                hint: "Use another address. To clone that log: \(.joinElsewhere(address: "\(address)"))")
        }
    }

    private func refuseOwnFolder(_ url: URL) throws {
        let own = self.url.resolvingSymlinksInPath().path
        let other = url.resolvingSymlinksInPath().path
        guard other == own || other.hasPrefix(own + "/") else { return }
        throw StoreError(
            .usage, "\(url.path) is in this store's own folder.",
            hint: "Use a folder outside it that other devices can reach.")
    }
}

extension StoreError {
    init(_ error: TransportError, at address: RemoteAddress) {
        func clause(_ reason: String) -> String { reason.hasSuffix(".") ? String(reason.dropLast()) : reason }
        switch error {
        case .unreachable(let reason):
            self.init(
                .unreachable, "\(address) cannot be reached: \(clause(reason)).",
                hint: "Nothing is lost: what was logged is kept here. Try again when the remote can be reached.",
                cause: error)
        case .full(let reason):
            self.init(
                .inputOutput, "\(address) is full: \(clause(reason)).", hint: "Free some space there, then sync again.",
                cause: error)
        case .notPermitted(let reason):
            self.init(
                .notPermitted, "\(address) does not permit this: \(clause(reason)).", hint: "Check its permissions.",
                cause: error)
        case .tooLarge(let name, let byteCount):
            self.init(
                .damaged, "\(name) at \(address) has \(byteCount) bytes, which is more than any file of groundwave.",
                cause: error)
        case .refused(let name, let reason):
            self.init(.damaged, "\(name) at \(address) is not a file of groundwave: \(clause(reason)).", cause: error)
        }
    }
}
