import GroundwaveADIF
import GroundwaveEvents
import GroundwaveMaps
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveStore

/// Writes the contacts of a map, piece by piece.
struct MapWriter {
    private let format: MapFormat
    private(set) var report = MapReport()
    private var worked = WorkedSquares()
    /// The calls of the own station; no more than two are kept.
    private var calls: Set<String> = []
    /// The first and the last start, in seconds since 1970.
    private var times: ClosedRange<Int64>?

    init(_ format: MapFormat) { self.format = format }

    func appendStart(to bytes: inout [UInt8]) {
        if format == .geojson { GeoJSON.appendStart(to: &bytes) }
    }

    mutating func append(_ id: RecordID, _ contact: borrowing ShownValues, to bytes: inout [UInt8]) {
        guard let place = StationPlace.ofOther(contact) else {
            report.unplaced += 1
            return
        }
        let facts = ContactFacts(contact)
        let own = StationPlace.ofOwn(contact)
        worked.add(
            place.squares, band: facts.band,
            from: own.flatMap { own in own.squares.first.map { (square: $0, point: own.point) } })
        switch format {
        case .geojson: GeoJSON.append(id, facts, place, isFirst: report.records == 0, to: &bytes)
        case .svg:
            if let call = contact.text(.stationCallsign), !call.isEmpty, calls.count < 2 {
                calls.insert(call.uppercased())
            }
            if let time = facts.startSeconds {
                times = min(times?.lowerBound ?? time, time)...max(times?.upperBound ?? time, time)
            }
        }
        report.records += 1
    }

    mutating func appendEnd(to bytes: inout [UInt8]) {
        report.squares = worked.squares.count
        switch format {
        case .geojson:
            var isFirst = report.records == 0
            for (locator, square) in worked.squares.sorted(by: { $0.key < $1.key }) {
                GeoJSON.append(locator, square, isFirst: isFirst, to: &bytes)
                isFirst = false
            }
            GeoJSON.appendEnd(to: &bytes)
        case .svg: bytes += WorldMap(title: title, subtitle: subtitle, worked: worked).svg().utf8
        }
    }

    mutating func count(bytes: Int) { report.bytes += bytes }

    private var title: String {
        if calls.count == 1, let call = calls.first { return "Grid squares worked by \(call)" }
        return "Grid squares worked"
    }

    private var subtitle: String {
        func count(_ number: Int, _ word: String) -> String { "\(number) \(word)\(number == 1 ? "" : "s")" }
        let counts = "\(count(report.records, "contact")) in \(count(report.squares, "grid square"))"
        guard let times else { return counts }
        let (first, last) = (UTCText.seconds(times.lowerBound).prefix(10), UTCText.seconds(times.upperBound).prefix(10))
        return "\(counts), \(first == last ? "\(first)" : "\(first) to \(last)") UTC"
    }
}
