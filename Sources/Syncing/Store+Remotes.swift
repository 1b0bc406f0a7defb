import Foundation
import GroundwaveEvents
import GroundwaveRemotes
import GroundwaveReplication
import GroundwaveStore

extension Store {
    /// Returns the remotes of this device, by name.
    ///
    /// - Throws: ``StoreError`` with code `damaged` if `sync.json` cannot be read.
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
    /// A bucket must exist. An object is stored there twice under a name of its own, and then deleted, to see that the store
    /// refuses the second one.
    ///
    /// - Throws: ``StoreError`` with code `exists` if a remote of that name has another address, or if another log is
    ///   at the address; `usage` if the name is invalid, if the folder is inside the store, or if an object store
    ///   overwrites what is there; `notPermitted` if there are no keys for a bucket, or if it does not accept them;
    ///   `notFound` if there is no such bucket; `unreachable`.
    public func add(remote name: String, at address: RemoteAddress) async throws {
        try Remote.check(name)
        try requireWritable()
        let remote = Remote(name: name, address: address)
        let access = try address.access(in: accessContext)
        if case .folder(let url) = address {
            try refuseOwnFolder(url)
            do { try await FolderTransport(url).create() } catch { throw Self.failure(error, at: remote) }
        }
        try await checkLog(of: remote, through: try sealing(access, name))
        if case .bucket = address, case .storage(let transport) = access, try !remotes().contains(remote) {
            try await requireRefusals(of: transport, remote)
        }
        try note(remote)
    }

    /// Returns the remote of an application called `name`, which is added if there is none.
    ///
    /// - Throws: ``StoreError`` with code `exists` if a remote of another kind has that name, or if there is another
    ///   log; `usage` if the name is invalid; `unreachable`.
    func remote(_ name: String, through transport: any Transport) async throws -> Remote {
        let remote = try applicationRemote(name)
        if try !remotes().contains(remote) {
            try await checkLog(of: remote, through: try sealing(.storage(transport), name))
            try note(remote)
        }
        return remote
    }

    /// Returns the remote of an application called `name`, which need not have been added yet.
    func applicationRemote(_ name: String) throws -> Remote {
        let remote = try Remote(ofApplication: name)
        try requireWritable()
        if let present = try remotes().first(where: { $0.name == name }), present != remote {
            throw Self.isTaken(name, by: "\(present.address)")
        }
        return remote
    }

    private static func isTaken(_ name: String, by address: String) -> StoreError {
        StoreError(
            .exists, "There is already a remote called “\(name)”: \(address).",
            hint: "Choose another name. Or \(.removeRemote(name)).")
    }

    /// Adds a remote to those that this device knows; does nothing if it is one of them.
    func note(_ remote: Remote) throws {
        try syncFile.update { file in
            let (name, address) = (remote.name, remote.address.description)
            if let present = file.remotes[name], present != address { throw Self.isTaken(name, by: present) }
            defer { file.remotes[name] = address }
            return file.remotes[name] == nil
        }
    }

    /// Removes a remote. The data there stays.
    ///
    /// - Throws: ``StoreError`` with code `notFound` if there is no such remote; the code for the system error if
    ///   `sync.json` cannot be written, and then the remote stays.
    public func remove(remote name: String) throws {
        _ = try remote(name)
        try syncFile.update { file in
            file.remotes[name] = nil
            file.standings[name] = nil
            file.open?.removeAll { $0 == name }
            return true
        }
        unlink(files.cachePath(of: name))
    }

    /// Returns whether the user has switched synchronisation off.
    ///
    /// - Throws: As ``remotes()``.
    public func isSyncOff() throws -> Bool { try syncFile.read().isOff }

    /// Switches synchronisation off or on. This does not push, pull or delete anything, here or elsewhere.
    ///
    /// - Returns: Whether the setting changed.
    /// - Throws: ``StoreError`` with code `notPermitted` if the store is read-only; the code for the system error if
    ///   `sync.json` cannot be written, and then nothing has changed.
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

    /// Throws if another log is at a remote. A device that cannot be reached now is accepted, and a log mark that was cut
    /// short: the next push decides whose it is.
    private func checkLog(of remote: Remote, through access: RemoteAccess) async throws {
        let address = remote.address
        let found: LogID?
        do {
            found =
                if case .device(let host, let port) = access {
                    try await greeting(of: remote, host, port).greeting.log
                } else {
                    try await Self.log(of: remote, through: access, components)
                }
        } catch {
            let described = error as? StoreError
            if case RemoteError.notReady? = described?.cause { return }
            guard case .device = access, described?.code == .unreachable else { throw error }
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

extension Store {
    /// Throws unless storage refuses to replace an object. It stores one twice, under a name that nobody has used, and deletes
    /// it.
    ///
    /// - Throws: ``StoreError`` with code `usage` if the second object was accepted; errors of the remote.
    func requireRefusals(of transport: any Transport, _ remote: Remote) async throws {
        let number = String(surroundings.randomNumber(), radix: 16)
        guard let name = ObjectName("groundwave-probe-\(number)") else { preconditionFailure("It is a name.") }
        let (first, second) = ([UInt8]("first".utf8), [UInt8]("second".utf8))
        do {
            _ = try await transport.putIfAbsent(name, first)
            let outcome = try await transport.putIfAbsent(name, second)
            let found = try await transport.get(name, range: nil, limit: 64)
            // A key that may not delete is enough for synchronising; it leaves a few bytes.
            try? await transport.delete(name)
            if outcome == .exists, found == first { return }
        } catch { throw Self.describe(error, at: remote, file: files.log) }
        throw StoreError(
            .usage, "The server of \(remote.address) overwrites objects, although it is asked not to.",
            hint: """
                Two devices that push at the same moment could replace each other's contacts there. Use a server that \
                keeps to If-None-Match, or a folder. Nothing was added.
                """)
    }
}
