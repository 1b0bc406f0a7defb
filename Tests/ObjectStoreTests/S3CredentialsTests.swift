import Foundation
import GroundwaveStore
import GroundwaveSyncing
import GroundwaveTesting
import Testing

@testable import GroundwaveObjectStore

@Suite struct `The keys of an object store` {
    private let secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"

    @Test func `are never printed`() {
        let keys = S3Credentials(accessKeyID: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: secret, sessionToken: "tok/en")
        var dumped = ""
        dump(keys, to: &dumped)
        for text in ["\(keys)", String(reflecting: keys), "\([keys])", "\(Optional(keys) as Any)", dumped] {
            #expect(!text.contains(secret))
            #expect(!text.contains("tok/en"))
            #expect(!text.contains("AKIAIOSFODNN7EXAMPLE"))
        }
    }

    private func keys(_ environment: [String: String], _ folder: URL) throws -> S3Credentials {
        try .ofDevice(for: try Bucket(name: "shack-log"), environment: environment, stateFolder: folder)
    }

    @Test func `come from the environment before any file`() throws {
        let folder = try TemporaryFolder()
        try write("aws_access_key_id=F\naws_secret_access_key=G", folder.url.appending(path: "s3-keys"))
        let environment = ["AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "B", "AWS_SESSION_TOKEN": "C"]
        #expect(
            try keys(environment, folder.url)
                == S3Credentials(accessKeyID: "A", secretAccessKey: "B", sessionToken: "C"))
        #expect(
            try keys(["AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""], folder.url)
                == S3Credentials(accessKeyID: "F", secretAccessKey: "G"))
    }

    @Test func `are not put together from two places`() throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: StoreError.self) { try keys(["AWS_ACCESS_KEY_ID": "A"], folder.url) }
        #expect(error?.code == .notPermitted)
        #expect(error?.message.contains("AWS_SECRET_ACCESS_KEY is missing") == true)
    }

    @Test func `are those of the bucket, else those for all, in the file that is named`() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "keys")
        try write(
            """
            # For all buckets.
            aws_access_key_id = A
            aws_secret_access_key = B=B

            [shack-log]
            AWS_ACCESS_KEY_ID=C
            aws_secret_access_key=D
            """, file)
        let environment = ["GROUNDWAVE_S3_KEYS": file.path]
        #expect(try keys(environment, folder.url) == S3Credentials(accessKeyID: "C", secretAccessKey: "D"))
        let other = try S3Credentials.ofDevice(
            for: try Bucket(name: "other"), environment: environment, stateFolder: folder.url)
        #expect(other == S3Credentials(accessKeyID: "A", secretAccessKey: "B=B"))
    }

    @Test(arguments: [0o644, 0o640, 0o604, 0o620, 0o601])
    func `are not taken from a file that others can reach`(mode: Int) throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "s3-keys")
        try write("aws_access_key_id=A\naws_secret_access_key=\(secret)", file, mode)
        let error = #expect(throws: StoreError.self) { try keys([:], folder.url) }
        #expect(error?.code == .notPermitted)
        #expect(error?.description.contains("chmod 600") == true)
        #expect(error?.description.contains(secret) == false)
    }

    @Test func `are asked for where there are none`() throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: StoreError.self) { try keys([:], folder.url) }
        #expect(error?.message == "There are no keys for the bucket shack-log.")
        #expect(error?.hint?.contains("AWS_ACCESS_KEY_ID") == true)
    }

    @Test(arguments: ["what is this", "aws_access_key_id=A\n=B", "aws_access_key_id=A\naws_secret_access_key=q r"])
    func `are refused, and not shown, if they are no keys`(text: String) throws {
        let folder = try TemporaryFolder()
        try write(text, folder.url.appending(path: "s3-keys"))
        let error = #expect(throws: StoreError.self) { try keys([:], folder.url) }
        for word in ["what is", "=B", "q r"] { #expect(error?.description.contains(word) == false) }
    }

    private func write(_ text: String, _ file: URL, _ mode: Int = 0o600) throws {
        try Data(text.utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
    }
}
