// An object store: a bucket with keys that the application has. Nobody listens at this address, so it can only be tried.
import Check
import Foundation
import GroundwaveObjectStore

enum Note: RecordKind {
    static let schema = KindSchema(name: "note", fields: [FieldSchema(1, "TEXT")])
}

try await withFolder { folder in
    let keys = S3Credentials(accessKeyID: "key", secretAccessKey: "secret")
    let store = try await Store.create(
        at: folder.appending(path: "store"),
        Configuration(
            deviceName: "home", kinds: [Note.self], components: [.objectStore { _ in keys }],
            stateFolder: folder.appending(path: "state")))
    check(!"\(keys)".contains("secret"), "keys are not printed")
    do {
        try await store.add(remote: "cloud", at: RemoteAddress("s3://shack-log/2026?endpoint=http://127.0.0.1:1"))
        check(false, "nobody listens there")
    } catch let error as StoreError {
        check(error.code == .unreachable, "the bucket cannot be reached: \(error)")
    }
    check(try store.remotes().isEmpty, "it was not added")
    try store.close()
    print("A bucket that cannot be reached is not added.")
}
