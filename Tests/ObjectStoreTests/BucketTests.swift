import GroundwaveStore
import GroundwaveSyncing
import Testing

@testable import GroundwaveObjectStore

@Suite struct `The address of a bucket` {
    @Test(arguments: [
        ("s3://shack-log", "s3://shack-log"), ("s3://shack-log/", "s3://shack-log"),
        ("s3://shack-log/2026/hf", "s3://shack-log/2026/hf"),
        (
            "s3://a.b?region=eu-west-1&endpoint=https://s3.example.org/",
            "s3://a.b?endpoint=https://s3.example.org&region=eu-west-1"
        ),
        (
            "s3://abc/x?path-style&endpoint=http://127.0.0.1:8333",
            "s3://abc/x?endpoint=http://127.0.0.1:8333&path-style"
        ),
        ("s3://abc?endpoint=localhost:8333", "s3://abc?endpoint=http://localhost:8333"),
        ("s3://abc?endpoint=S3.Example.org", "s3://abc?endpoint=https://s3.example.org"),
        ("s3://abc?endpoint=https://s3.example.org:443", "s3://abc?endpoint=https://s3.example.org"),
        ("s3://abc?endpoint=http://[::1]:8333", "s3://abc?endpoint=http://[::1]:8333"),
    ]) func `is read, and written in one form`(text: String, form: String) throws {
        let address = try RemoteAddress(text)
        #expect("\(address)" == form)
        #expect(try RemoteAddress(form) == address)
    }

    @Test(arguments: [
        "s3://", "s3://ab", "s3://Shack", "s3://a..b", "s3://-ab", "s3://abc/../x", "s3://abc/.x", "s3://abc//x",
        "s3://abc/ä", "s3://abc?endpoint=ftp://x", "s3://abc?endpoint=https://", "s3://abc?endpoint=https://x/y",
        "s3://abc?endpoint=https://key:secret@x", "s3://abc?endpoint=https://x:0", "s3://abc?endpoint=https://x:99999",
        "s3://abc?region=a/b", "s3://abc?region", "s3://abc?path-style=1", "s3://abc?secret=x",
        "s3://abc?endpoint=a%0ab",
    ]) func `is refused if it is none`(text: String) {
        let error = #expect(throws: StoreError.self) { try RemoteAddress(text) }
        #expect(error?.code == .usage)
        #expect(error?.hint != nil)
    }

    @Test(arguments: ["s3://key:S3CR3T@abc", "s3://abc?endpoint=https://key:S3CR3T@x", "s3://abc/S3CR3T@x"])
    func `has no keys, and they are not repeated`(text: String) throws {
        let error = #expect(throws: StoreError.self) { try RemoteAddress(text) }
        #expect(error?.description.contains("S3CR3T") == false)
        #expect(error?.hint?.contains("Keys come from the environment") == true)
        let endpoint = #expect(throws: StoreError.self) {
            try RemoteAddress("s3://abc").completed(endpoint: "https://key:S3CR3T@x", environment: [:])
        }
        #expect(endpoint?.description.contains("S3CR3T") == false)
    }

    @Test func `is completed by what is given, else by the environment`() throws {
        let environment = [
            "AWS_ENDPOINT_URL_S3": "https://one.example.org", "AWS_REGION": "", "AWS_DEFAULT_REGION": "auto",
        ]
        let address = try RemoteAddress("s3://abc")
        #expect(
            "\(try address.completed(environment: environment))"
                == "s3://abc?endpoint=https://one.example.org&region=auto")
        #expect(
            "\(try address.completed(endpoint: "two.example.org", isPathStyle: true, environment: environment))"
                == "s3://abc?endpoint=https://two.example.org&region=auto&path-style")
        let kept = try RemoteAddress("s3://abc?endpoint=https://three.example.org&region=x")
        #expect(try kept.completed(environment: environment) == kept)
        let folder = try RemoteAddress("file:///tmp/x")
        #expect(try folder.completed(environment: environment) == folder)
        #expect(throws: StoreError.self) { try folder.completed(region: "x", environment: [:]) }
    }

    @Test(arguments: [
        ("s3://abc/p", "https", "abc.s3.us-east-1.amazonaws.com", ""),
        ("s3://abc?region=eu-west-1", "https", "abc.s3.eu-west-1.amazonaws.com", ""),
        ("s3://abc?path-style", "https", "s3.us-east-1.amazonaws.com", "/abc"),
        ("s3://a.bc", "https", "s3.us-east-1.amazonaws.com", "/a.bc"),
        ("s3://abc?endpoint=http://127.0.0.1:8333", "http", "127.0.0.1:8333", "/abc"),
        ("s3://abc?endpoint=http://[::1]:8333", "http", "[::1]:8333", "/abc"),
        ("s3://abc?endpoint=localhost", "http", "localhost", "/abc"),
        ("s3://abc?endpoint=http://s3.example.org:81", "http", "abc.s3.example.org:81", ""),
    ]) func `is where requests go`(text: String, scheme: String, authority: String, path: String) throws {
        guard case .bucket(let bucket) = try RemoteAddress(text) else { return #expect(Bool(false)) }
        let endpoint = S3Endpoint(bucket)
        #expect(endpoint.scheme == scheme)
        #expect(endpoint.authority == authority)
        #expect(endpoint.path == path)
    }
}
