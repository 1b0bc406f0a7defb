import GroundwaveRemotes
import GroundwaveReplication
import GroundwaveStore

/// A remote that is a bucket of an object store, or a folder in one, by the S3 protocol over HTTP.
///
/// An object is stored by one `PUT` with `If-None-Match: *`, which a server refuses with 412 if the name is taken. A server
/// that does not is no remote: ``Store/add(remote:at:)`` finds out. What a server says of an object, such as its ETag, is
/// never taken for its content.
///
/// Requests are signed (version 4). One that fails for now is repeated some times, with growing pauses, for up to a minute.
/// A redirection is told and never followed.
public struct S3Transport: Transport {
    let client: S3Client

    /// Creates a transport. Makes no request.
    public init(_ bucket: Bucket, _ credentials: S3Credentials, surroundings: Surroundings = .system) {
        self.init(bucket, credentials, surroundings: surroundings, timing: S3Timing())
    }

    init(_ bucket: Bucket, _ credentials: S3Credentials, surroundings: Surroundings = .system, timing: S3Timing) {
        client = S3Client(bucket, credentials, surroundings, timing)
    }

    /// Four: an answer comes from afar.
    public var requestsAtOnce: Int { 4 }

    private func key(_ name: ObjectName) -> String { client.endpoint.keyPrefix + name.description }

    /// Stores an object; see ``Transport``.
    ///
    /// If the answer to an attempt was lost, the name may be taken by that attempt: then the object is read and compared.
    ///
    /// - Throws: ``TransportError``: `notPermitted` also if the server does not know the keys; `notThere` if there is no such
    ///   bucket, or if it is in another region.
    public func putIfAbsent(_ name: ObjectName, _ bytes: [UInt8]) async throws(TransportError) -> PutOutcome {
        defer { client.folders.forget(without: name) }
        let condition = ["if-none-match": "*"]
        let request = S3Request(method: "PUT", key: key(name), headers: condition, body: bytes, limit: 65_536)
        let outcome = try await client.perform(request)
        switch outcome.result {
        case .success: return .stored
        case .failure(.exists):
            guard outcome.mayHaveHadEffect else { return .exists }
            do { return try await get(name, range: nil, limit: bytes.count) == bytes ? .stored : .exists } catch {
                if case .tooLarge = error { return .exists }
                throw error
            }
        case .failure(let failure): throw Self.surprise(failure, "storing", name)
        }
    }

    /// Replaces an object; see ``Transport``.
    ///
    /// - Throws: ``TransportError``: as ``putIfAbsent(_:_:)``.
    public func replace(_ name: ObjectName, _ bytes: [UInt8]) async throws(TransportError) {
        defer { client.folders.forget(without: name) }
        let request = S3Request(method: "PUT", key: key(name), body: bytes, limit: 65_536)
        if case .failure(let failure) = try await client.perform(request).result {
            throw Self.surprise(failure, "replacing", name)
        }
    }

    /// Returns the bytes of an object; see ``Transport``.
    ///
    /// - Throws: ``TransportError``: as ``putIfAbsent(_:_:)``; `unreachable` also if the answer is not what was announced.
    public func get(_ name: ObjectName, range: Range<Int>?, limit: Int) async throws(TransportError) -> [UInt8]? {
        let range = range.map { max(0, $0.lowerBound)..<max(0, $0.upperBound) }
        if range?.isEmpty == true { return try await exists(name) ? [] : nil }
        // One byte more than allowed shows that there are too many.
        let asked = range.map { $0.lowerBound..<$0.lowerBound + min($0.count, max(limit, 0) + 1) }
        var request = S3Request(method: "GET", key: key(name), limit: limit, needsLength: true)
        if let asked { request.headers["range"] = "bytes=\(asked.lowerBound)-\(asked.upperBound - 1)" }
        switch try await client.perform(request).result {
        case .success(let answer):
            guard let range, let asked else { return answer.body }
            try check(answer, gives: asked, name)
            guard answer.body.count <= limit else { throw .tooLarge(name, byteCount: answer.body.count) }
            return Array(answer.body.prefix(range.count))
        case .failure(.absent): return nil
        case .failure(.noBytes): return []
        case .failure(.tooLarge(let count)):
            throw .tooLarge(name, byteCount: count)
        case .failure(let failure): throw Self.surprise(failure, "reading", name)
        }
    }

    private func exists(_ name: ObjectName) async throws(TransportError) -> Bool {
        switch try await client.perform(S3Request(method: "HEAD", key: key(name))).result {
        case .success: return true
        case .failure(.absent): return false
        case .failure(let failure): throw Self.surprise(failure, "looking for", name)
        }
    }

    /// Checks that a part of an object is the part that was asked for.
    private func check(_ answer: HTTPAnswer, gives asked: Range<Int>, _ name: ObjectName) throws(TransportError) {
        guard answer.status == 206, let text = answer.headers["content-range"],
            let parts = text.wholeMatch(of: /bytes ([0-9]{1,18})-([0-9]{1,18})\/([0-9]{1,18}|\*)/)?.output,
            let first = Int(parts.1), let last = Int(parts.2), first == asked.lowerBound, last < asked.upperBound,
            last - first + 1 == answer.body.count, Int(parts.3).map({ last + 1 == min($0, asked.upperBound) }) ?? true
        else { throw .unreachable("it gave another part of \(name) than was asked for") }
    }

    /// Deletes an object; see ``Transport``.
    ///
    /// - Throws: ``TransportError``: as ``putIfAbsent(_:_:)``.
    public func delete(_ name: ObjectName) async throws(TransportError) {
        defer { client.folders.forget() }
        switch try await client.perform(S3Request(method: "DELETE", key: key(name), limit: 65_536)).result {
        case .success, .failure(.absent): return
        case .failure(let failure): throw Self.surprise(failure, "deleting", name)
        }
    }

    static func surprise(_ failure: S3Failure, _ what: String, _ name: ObjectName) -> TransportError {
        let words =
            switch failure {
            case .absent: "404"
            case .exists: "412"
            case .noBytes: "416"
            default: "something unexpected"
            }
        return .unreachable("it answered \(words) to \(what) \(name)")
    }
}

extension S3Transport {
    /// Makes the bucket; does nothing if it is there. Only tests do that: a bucket has an owner, a place and a price.
    package func createBucket() async throws(TransportError) {
        _ = try await client.perform(S3Request(method: "PUT", limit: 65_536))
    }
}
