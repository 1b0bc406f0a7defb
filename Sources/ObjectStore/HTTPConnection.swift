import Foundation
import GroundwaveReplication

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An answer of a server, complete.
struct HTTPAnswer: Sendable {
    let status: Int
    /// The headers, by lower-case names.
    let headers: [String: String]
    let body: [UInt8]
}

/// Why there is no answer.
enum HTTPFailure: Error, Hashable, Sendable {
    /// The request has had no effect: no connection, an unknown host, a certificate that is not valid.
    case notSent(String)
    /// The request may have had its effect: the connection was lost, the time is over, the answer is incomplete.
    case lost(String)
    /// The body of the answer has more bytes than allowed; how many, as far as known.
    case tooLarge(Int)
    /// The task was cancelled.
    case cancelled
}

/// Sends requests by URLSession, each with a bound on the time and on the bytes of its answer. Follows no redirection, since
/// a signature is for one host, and keeps no cookies, caches or passwords.
final class HTTPConnection: Sendable {
    private let session: URLSession
    private let answers = HTTPAnswers()
    /// The longest time of one request, however much of it arrives.
    private let longest: Duration

    /// Creates a connection pool.
    ///
    /// - Parameters:
    ///   - idle: How long nothing may arrive.
    ///   - longest: The longest time of a request.
    init(idle: Duration, longest: Duration) {
        self.longest = longest
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = idle / .seconds(1)
        configuration.timeoutIntervalForResource = longest / .seconds(1)
        configuration.httpShouldSetCookies = false
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpMaximumConnectionsPerHost = 8
        session = URLSession(configuration: configuration, delegate: answers, delegateQueue: nil)
    }

    deinit { session.invalidateAndCancel() }

    /// Sends a request and returns its answer.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of bytes of the body of an answer with success; others may have 64 KiB.
    ///   - needsLength: Whether an answer with success must announce its length. Then no more is ever read. Without, Foundation
    ///     on Linux may read on for a while behind the limit, if a server sends faster than this device counts.
    func send(_ request: URLRequest, limit: Int, needsLength: Bool) async throws(HTTPFailure) -> HTTPAnswer {
        let awaited = Awaited<Result<HTTPAnswer, HTTPFailure>>()
        let task = session.dataTask(with: request)
        answers.begin(task, limit: limit, needsLength: needsLength, hasBody: request.httpMethod != "HEAD", awaited)
        let timer = DispatchWorkItem { awaited.provide(.failure(.lost("it did not answer in time"))) }
        DispatchQueue.global().asyncAfter(deadline: .now() + longest / .seconds(1), execute: timer)
        task.resume()
        let result = await awaited.value()
        timer.cancel()
        // A task that is complete is not cancelled: Foundation on Linux may then wait for it for ever.
        if answers.end(task) { task.cancel() }
        guard let result else { throw .cancelled }
        return try result.get()
    }
}
