import Everything
import Foundation
import Groundwave
import GroundwaveEventLog
import GroundwaveEvents

/// A store and a peer that sync through a folder.
///
/// `peer FOLDER` makes the peer, which then has everything; `meet FOLDER` syncs both in a copy of the disk, after the
/// first was recovered: then they must be the same again, with nothing missing.
struct PeerSession {
    private let disk: String

    init(_ folder: String) { disk = "\(folder)/disk" }

    private var place: RemoteAddress { .folder(URL(filePath: "\(disk)/place")) }

    private func configuration(_ name: String) -> Configuration {
        Configuration.full(author: "N0FLT", deviceName: name, stateFolder: URL(filePath: "\(disk)/state-\(name)"))
    }

    private func own() async throws -> Store {
        let folder = URL(filePath: disk).deletingLastPathComponent().path
        let url = URL(filePath: StoreSession.path(in: folder))
        return try await Store.open(at: url, StoreSession.configuration(in: folder)).whole
    }

    private var peerFolder: URL { URL(filePath: "\(disk)/peer") }

    func begin() async {
        await telling("peer") {
            let store = try await own()
            try await store.add(remote: "place", at: place)
            try await store.sync(try store.remote("place"))
            let peer = try await Store.join(place, at: peerFolder, configuration("peer")).store
            for _ in 0..<2 {
                try await peer.sync(try peer.remote("place"))
                try await store.sync(try store.remote("place"))
            }
            guard try peer.digest().views == store.digest().views else { throw Failure("two digests") }
            try peer.close()
            try store.close()
        }
    }

    func meet() async {
        await telling("meet") {
            let store = try await own()
            let peer = try await Store.open(at: peerFolder, configuration("peer")).whole
            for one in [store, peer] {
                // In a copy the folder has another path.
                try one.remove(remote: "place")
                try await one.add(remote: "place", at: place)
            }
            for _ in 0..<2 {
                try await store.sync(try store.remote("place"), isFull: true)
                try await peer.sync(try peer.remote("place"), isFull: true)
            }
            try await store.sync(try store.remote("place"))
            let (left, right) = (try store.digest(), try peer.digest())
            if left.views != right.views { Witness.write(line: "w two digests after a sync") }
            if left.vector != right.vector { Witness.write(line: "w two vectors after a sync") }
            guard try store.compareWithReplay().isSame else { throw Failure("the views are not what the log folds to") }
            try peer.close()
            try store.close()
            let folder = URL(filePath: disk).deletingLastPathComponent().path
            let verification = try await Store.verify(
                at: URL(filePath: StoreSession.path(in: folder)), isDeep: true, components: .all)
            for damage in verification.damage.prefix(3) {
                Witness.write(line: "w after a sync with a peer: \(damage.what) \(damage.detail)")
            }
        }
    }

    private func telling(_ word: String, _ body: () async throws -> Void) async {
        do {
            try await body()
            Witness.write(line: "a \(word)")
        } catch {
            Witness.write(line: "x \(word) \("\(error)".split(whereSeparator: \.isNewline).joined(separator: " "))")
        }
    }
}
