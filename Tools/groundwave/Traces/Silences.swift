import Groundwave
import GroundwaveMeterProtocols
import GroundwaveMeters
import GroundwaveWording

/// Tells when a meter that is recorded gives no rows for three seconds, and what came instead.
final class Silences {
    /// The models that the bytes of the last silence with such bytes look like.
    private(set) var models: [MeterModel] = []
    private let model: MeterModel
    private let source: String
    private let isTold: Bool
    private let now: @Sendable () -> Arrival
    private var watch: SilenceWatch

    /// The number of silences so far.
    var count: Int { watch.count }

    /// Begins to watch the output of `model`, which comes from `path`. Silences are only counted unless `isTold`.
    init(_ model: MeterModel, of path: String, isTold: Bool, by now: @escaping @Sendable () -> Arrival) {
        (self.model, self.isTold, self.now) = (model, isTold, now)
        source = path == "-" ? "standard input" : path
        watch = SilenceWatch(model, at: now().monotonicMilliseconds)
    }

    /// Takes note of a step of the feed.
    func take(_ step: MeterFeed.Step) {
        guard let silence = watch.next(step, at: now().monotonicMilliseconds) else { return }
        if !silence.models.isEmpty { models = silence.models }
        guard isTold else { return }
        if silence.byteCount == 0 { return Terminal.remark("No rows for 3 s: nothing comes from \(source).") }
        let bytes = NumberText.count(silence.byteCount, "byte")
        Terminal.remark("No rows for 3 s: \(bytes) came from \(source), but no measurements of \(model.displayName).")
        guard let first = silence.models.first else { return }
        let options = silence.models.map { "--model \($0.rawValue)" }.joined(separator: " or ")
        Terminal.remark("They look like measurements of \(first.displayName): \(options).")
    }
}
