import Foundation
import GroundwaveRemotes
import GroundwaveReplication
import GroundwaveStore

extension StoreComponent {
    /// Synchronising through object stores: remotes whose address is `s3://bucket/prefix`. The keys are those of this device:
    /// see Docs/ObjectStores.md.
    public static let objectStore = objectStore { bucket, stateFolder in
        try .ofDevice(for: bucket, environment: ProcessInfo.processInfo.environment, stateFolder: stateFolder)
    }

    /// Synchronising through object stores, with the keys that an application has for each bucket.
    ///
    /// - Parameter credentials: Returns the keys; it may throw, and then no remote is opened.
    public static func objectStore(
        credentials: @escaping @Sendable (_ bucket: Bucket) throws -> S3Credentials
    ) -> StoreComponent { objectStore { bucket, _ in try credentials(bucket) } }

    private static func objectStore(
        _ credentials: @escaping @Sendable (Bucket, URL) throws -> S3Credentials
    ) -> StoreComponent {
        var component = StoreComponent(name: "object store")
        component.service = BucketOpener(credentials: credentials)
        return component
    }
}

private struct BucketOpener: ObjectStoreOpener {
    let credentials: @Sendable (Bucket, URL) throws -> S3Credentials

    func open(_ bucket: Bucket, _ context: AccessContext) throws -> any Transport {
        S3Transport(bucket, try credentials(bucket, context.stateFolder), surroundings: context.surroundings)
    }
}
