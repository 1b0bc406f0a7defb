import Foundation
import GroundwaveReplication
import GroundwaveStore

/// How a remote is reached.
package enum RemoteAccess: Sendable {
    /// Storage for objects.
    case storage(any Transport)
    /// A device that is connected to directly, if a component can.
    case device(host: String, port: Int)
}

/// What opening a remote takes from the store, or from the configuration of one that is being joined.
package struct AccessContext: Sendable {
    /// The parts of the library that the store is opened with.
    package let components: [StoreComponent]
    /// The source of time and randomness.
    package let surroundings: Surroundings
    /// The folder of this device's state.
    package let stateFolder: URL

    package init(components: [StoreComponent], surroundings: Surroundings, stateFolder: URL) {
        (self.components, self.surroundings, self.stateFolder) = (components, surroundings, stateFolder)
    }

    /// The context of a store that is not open yet.
    package init(_ configuration: Configuration) {
        self.init(
            components: configuration.components, surroundings: configuration.surroundings,
            stateFolder: configuration.stateFolder)
    }
}

extension Store {
    package var accessContext: AccessContext {
        AccessContext(components: components, surroundings: surroundings, stateFolder: stateFolder)
    }
}

extension RemoteAddress {
    /// Returns how the remote at this address is reached.
    ///
    /// - Throws: ``StoreError`` with code `usage` if only an application can reach it, or a component that is not there;
    ///   `notPermitted` if there are no keys for a bucket.
    package func access(in context: AccessContext) throws -> RemoteAccess {
        switch self {
        case .folder(let url): return .storage(FolderTransport(url))
        case .bucket(let bucket): return .storage(try context.components.opener(for: self).open(bucket, context))
        case .host(let name, let port): return .device(host: name, port: port)
        case .application(let name):
            throw StoreError(
                .usage, "Only the application that has named the remote “\(name)” can open it.",
                hint: "Synchronise in that application, or through another remote.")
        }
    }

    /// Whether something lies there for anybody who can read it: a folder or a bucket.
    package var isPlace: Bool {
        switch self {
        case .folder, .bucket: true
        case .host, .application: false
        }
    }

    /// Whether each request costs money, so that a remote is looked at less often while nothing happens.
    package var isMetered: Bool { if case .bucket = self { true } else { false } }

    /// Whether only an application can reach it.
    package var isOfApplication: Bool { if case .application = self { true } else { false } }
}
