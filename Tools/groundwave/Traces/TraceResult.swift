import Groundwave
import GroundwaveMetering
import GroundwaveMeters
import GroundwaveWording

/// A trace as JSON: the keys of it in `trace list`, and the first ones in `trace show`.
struct TraceResult: Encodable {
    var id: String
    var name: String
    var mac: String?
    var model: String?
    var state: String
    var first: String?
    var last: String?
    var rows: UInt64
    var missing: UInt64
    var stoppedBy: String?

    init(_ trace: Trace, _ summary: TraceSummary) {
        id = "\(trace.id)"
        name = trace.name
        mac = trace.meter?.description
        model = trace.model?.rawValue
        state = TraceText.state(trace, summary)
        first = summary.firstTime.map(UTCText.milliseconds)
        last = summary.lastTime.map(UTCText.milliseconds)
        rows = summary.rowCount
        missing = summary.missingCount
        stoppedBy = trace.stoppedBy
    }
}
