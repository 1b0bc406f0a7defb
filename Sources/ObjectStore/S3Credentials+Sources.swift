import Foundation
import GroundwaveRemotes
import GroundwaveStore

extension S3Credentials {
    /// Returns the keys of this device for a bucket: from the environment (`AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`,
    /// `AWS_SESSION_TOKEN`), else from the file that `GROUNDWAVE_S3_KEYS` names, else from `s3-keys` in the state folder.
    ///
    /// - Throws: ``StoreError`` with code `notPermitted` if there are none, or if others can read the file; `damaged` if the
    ///   file is not of that form.
    static func ofDevice(
        for bucket: Bucket, environment: [String: String], stateFolder: URL
    ) throws -> S3Credentials {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        switch (value("AWS_ACCESS_KEY_ID"), value("AWS_SECRET_ACCESS_KEY")) {
        case (let id?, let secret?):
            return try S3Credentials(
                accessKeyID: id, secretAccessKey: secret, sessionToken: value("AWS_SESSION_TOKEN")
            ).checked(from: "the environment")
        case (nil, nil): break
        case (let id, _):
            let missing = id == nil ? "AWS_ACCESS_KEY_ID" : "AWS_SECRET_ACCESS_KEY"
            throw StoreError(
                .notPermitted, "The environment has one half of the keys of an object store: \(missing) is missing.",
                hint: "Set both, or neither.")
        }
        let path = value("GROUNDWAVE_S3_KEYS") ?? stateFolder.appending(path: "s3-keys").path
        guard let file = try S3KeyFile(at: path) else {
            throw StoreError(
                .notPermitted, "There are no keys for the bucket \(bucket.name).",
                hint: """
                    Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write them to \(path), as Docs/ObjectStores.md \
                    shows.
                    """)
        }
        guard let credentials = file.credentials(for: bucket.name) else {
            throw StoreError(
                .notPermitted, "The file \(path) has no keys for the bucket \(bucket.name).",
                hint: "Add aws_access_key_id and aws_secret_access_key, as Docs/ObjectStores.md shows.")
        }
        return try credentials.checked(from: path)
    }

    /// - Throws: ``StoreError`` with code `notPermitted` if they have characters that no keys have.
    func checked(from source: String) throws -> S3Credentials {
        guard isPrintable else {
            throw StoreError(
                .notPermitted, "The keys from \(source) have a blank or another character that no keys have.",
                hint: "Copy them once more.")
        }
        return self
    }
}
