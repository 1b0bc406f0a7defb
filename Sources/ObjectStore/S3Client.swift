import GroundwaveRemotes
import GroundwaveReplication
import GroundwaveStore
import Synchronization

/// Sends requests to one bucket: signed, and again where that helps.
final class S3Client: Sendable {
    let bucket: Bucket
    let endpoint: S3Endpoint
    private let credentials: S3Credentials
    private let surroundings: Surroundings
    private let timing: S3Timing
    private let connection: HTTPConnection
    /// By how many seconds the server's clock is ahead of this device's.
    private let offset = Mutex(Int64(0))

    init(_ bucket: Bucket, _ credentials: S3Credentials, _ surroundings: Surroundings, _ timing: S3Timing) {
        self.bucket = bucket
        endpoint = S3Endpoint(bucket)
        self.credentials = credentials
        self.surroundings = surroundings
        self.timing = timing
        connection = HTTPConnection(idle: timing.idle, longest: timing.longest)
    }

    /// The folders that were listed a moment ago.
    let folders = FolderCache()
    /// The present moment by a clock that cannot be set.
    var monotonicMilliseconds: Int64 { surroundings.now().monotonicMilliseconds }

    /// What came of a request.
    struct Outcome {
        let result: Result<HTTPAnswer, S3Failure>
        /// Whether an earlier attempt may have had its effect already.
        let mayHaveHadEffect: Bool
    }

    /// Performs a request, with further attempts where that helps.
    ///
    /// - Returns: The answer, or one of the failures `absent`, `exists` and `noBytes`, which only the caller understands.
    /// - Throws: ``TransportError``.
    func perform(_ request: S3Request) async throws(TransportError) -> Outcome {
        var attempts = Attempts(timing, milliseconds: monotonicMilliseconds)
        var (mayHaveHadEffect, isCorrected) = (false, false)
        while true {
            switch try await attempt(request) {
            case .success(let answer): return Outcome(result: .success(answer), mayHaveHadEffect: mayHaveHadEffect)
            case .failure(.final(let error)): throw error
            case .failure(.skewed(let seconds)):
                guard let seconds, !isCorrected else {
                    throw .notPermitted("the clock of this device differs too much from the server's")
                }
                isCorrected = true
                offset.withLock { $0 = seconds - surroundings.now().wallMilliseconds / 1_000 }
            case .failure(.again(let error, let asked, let mayHaveEffect)):
                mayHaveHadEffect = mayHaveHadEffect || mayHaveEffect
                let pause = attempts.pause(
                    asked: asked, milliseconds: monotonicMilliseconds,
                    random: surroundings.randomNumber())
                guard let pause else { throw error }
                do { try await Task.sleep(for: pause) } catch { throw .unreachable("The task was cancelled.") }
            case .failure(let failure):
                return Outcome(result: .failure(failure), mayHaveHadEffect: mayHaveHadEffect)
            }
        }
    }

    private func attempt(_ request: S3Request) async throws(TransportError) -> Result<HTTPAnswer, S3Failure> {
        let seconds = surroundings.now().wallMilliseconds / 1_000 + offset.withLock(\.self)
        guard let signed = request.signed(at: endpoint, by: credentials, seconds: seconds) else {
            throw .notThere("\(endpoint.authority) is not the address of a server")
        }
        do {
            let answer = try await connection.send(signed, limit: request.limit, needsLength: request.needsLength)
            if (200..<300).contains(answer.status) { return .success(answer) }
            return .failure(S3Failure(answer, to: request, of: bucket, at: endpoint))
        } catch {
            switch error {
            case .cancelled: throw .unreachable("The task was cancelled.")
            case .notSent(let words):
                return .failure(.again(.unreachable(words), after: nil, mayHaveEffect: false))
            case .lost(let words): return .failure(.again(.unreachable(words), after: nil, mayHaveEffect: true))
            case .tooLarge(let count): return .failure(.tooLarge(count))
            }
        }
    }
}
