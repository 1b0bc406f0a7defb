import Foundation
import GroundwaveReplication
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Collects the answers of a session's tasks as they arrive, and ends those that are too large.
final class HTTPAnswers: NSObject, URLSessionDataDelegate, Sendable {
    private let exchanges = Mutex<[Int: Exchange]>([:])

    /// The most bytes of an answer without success: it has an error as XML.
    static let errorByteLimit = 64 << 10

    private struct Exchange {
        let limit: Int
        let needsLength: Bool
        let hasBody: Bool
        let awaited: Awaited<Result<HTTPAnswer, HTTPFailure>>
        var status = 0
        var headers: [String: String] = [:]
        var body: [UInt8] = []

        /// The number of bytes that the server has announced.
        var announced: Int? { headers["content-length"].flatMap { Int($0) } }
        var bodyLimit: Int { (200..<300).contains(status) ? limit : HTTPAnswers.errorByteLimit }

        mutating func read(_ response: HTTPURLResponse) {
            status = response.statusCode
            for (name, value) in response.allHeaderFields {
                guard let name = name as? String, let value = value as? String else { continue }
                headers[name.lowercased()] = value
            }
        }
    }

    func begin(
        _ task: URLSessionTask, limit: Int, needsLength: Bool, hasBody: Bool,
        _ awaited: Awaited<Result<HTTPAnswer, HTTPFailure>>
    ) {
        exchanges.withLock {
            $0[task.taskIdentifier] = Exchange(
                limit: limit, needsLength: needsLength, hasBody: hasBody, awaited: awaited)
        }
    }

    /// Forgets a task; returns whether it was still going on.
    func end(_ task: URLSessionTask) -> Bool {
        exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) != nil }
    }

    /// Changes the exchange of a task; if that returns a failure, the exchange ends with it.
    ///
    /// - Returns: Whether the exchange goes on.
    private func update(_ task: URLSessionTask, _ change: (inout Exchange) -> HTTPFailure?) -> Bool {
        exchanges.withLock { exchanges in
            guard var exchange = exchanges.removeValue(forKey: task.taskIdentifier) else { return false }
            if let failure = change(&exchange) {
                exchange.awaited.provide(.failure(failure))
                return false
            }
            exchanges[task.taskIdentifier] = exchange
            return true
        }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let goesOn = update(dataTask) { exchange in
            guard let response = response as? HTTPURLResponse else { return .lost("the answer is not HTTP") }
            exchange.read(response)
            guard exchange.hasBody else { return nil }
            guard let announced = exchange.announced else {
                let isRefused = exchange.needsLength && (200..<300).contains(exchange.status)
                return isRefused ? .lost("it does not say how long its answer is") : nil
            }
            guard announced <= exchange.bodyLimit else { return .tooLarge(announced) }
            exchange.body.reserveCapacity(max(0, announced))
            return nil
        }
        completionHandler(goesOn ? .allow : .cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let goesOn = update(dataTask) { exchange in
            guard exchange.body.count + data.count <= exchange.bodyLimit else {
                return .tooLarge(exchange.body.count + data.count)
            }
            exchange.body += data
            return nil
        }
        if !goesOn { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard var exchange = exchanges.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        if let error {
            exchange.awaited.provide(.failure(HTTPFailure(error)))
        } else if exchange.status == 0 {
            // Foundation on Linux tells of a redirection that does not say where to only here, and keeps its body.
            guard let response = task.response as? HTTPURLResponse else {
                return exchange.awaited.provide(.failure(.lost("it closed the connection")))
            }
            exchange.read(response)
            exchange.awaited.provide(
                .success(HTTPAnswer(status: exchange.status, headers: exchange.headers, body: [])))
        } else if exchange.hasBody, let announced = exchange.announced, announced != exchange.body.count {
            let words = "it announced \(announced) bytes and sent \(exchange.body.count)"
            exchange.awaited.provide(.failure(.lost(words)))
        } else {
            exchange.awaited.provide(
                .success(HTTPAnswer(status: exchange.status, headers: exchange.headers, body: exchange.body)))
        }
    }

    /// Follows no redirection: the signature is for one host, and another one must not get it.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(nil) }
}

extension HTTPFailure {
    /// The failure that Foundation describes. Its own text may have the address with its query, and is not used.
    init(_ error: any Error) {
        switch (error as? URLError)?.code {
        case .cannotConnectToHost: self = .notSent("it does not accept connections")
        case .cannotFindHost, .dnsLookupFailed: self = .notSent("its name is not known")
        case .notConnectedToInternet: self = .notSent("this device is not connected to a network")
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected:
            self = .notSent("its certificate is not valid for this device")
        case .unsupportedURL, .badURL: self = .notSent("its address cannot be used")
        case .timedOut: self = .lost("it did not answer in time")
        case .cancelled: self = .lost("the request was ended")
        case .networkConnectionLost: self = .lost("the connection was lost")
        default: self = .lost("the connection failed")
        }
    }
}
