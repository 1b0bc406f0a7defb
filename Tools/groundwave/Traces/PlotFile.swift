import Foundation
import Groundwave
import GroundwaveMeters
import GroundwaveWording

/// A file that a plot is written to, as SVG or PNG by its name.
struct PlotFile {
    /// A plot as JSON.
    struct Result: Encodable {
        var file: String
        var channels: [String]
        var calibrated: [CalibrationResult]?
        var withheld: UInt64
        var unreadable: UInt64
        var hidden: UInt64
        var bytes: Int

        init(_ plot: Plot, calibration: Calibration = .none, file: String, byteCount: Int) {
            self.file = file
            calibrated = CalibrationResult.all(calibration)
            channels = plot.series.map(\.channel.name).reduce(into: []) { names, name in
                if !names.contains(name) { names.append(name) }
            }
            (withheld, unreadable, hidden, bytes) = (
                plot.withheldCount, plot.unreadableCount, plot.hiddenCount, byteCount
            )
        }
    }

    let path: String
    private let isPNG: Bool

    /// - Throws: ``StoreError`` with code `usage` if the name of the file says neither.
    init(_ path: String) throws {
        self.path = path
        isPNG = path.lowercased().hasSuffix(".png")
        guard isPNG || path.lowercased().hasSuffix(".svg") else {
            throw StoreError(
                .usage, "\(path) is neither .svg nor .png.", hint: "Choose a file name that ends with .svg or .png.")
        }
    }

    /// Writes `plot` and returns the number of bytes. If this throws, the file at ``path`` is unchanged.
    func write(_ plot: Plot) throws -> Int {
        let bytes = isPNG ? plot.png() : Array(plot.svg().utf8)
        var file = try AtomicFile(path)
        try file.write(bytes)
        try file.finish()
        return bytes.count
    }

    /// Says how many rows are not drawn one by one; the traces were called `names`.
    static func remark(_ plot: Plot, verifying names: [String]) {
        if plot.withheldCount > 0 {
            Terminal.remark(
                "\(NumberText.count(plot.withheldCount, "row")) withheld: drawn pale, from least to greatest.")
        }
        if plot.unreadableCount > 0 {
            let verbs = names.map { "groundwave trace verify \($0)" }.joined(separator: ", ")
            Terminal.remark("\(NumberText.count(plot.unreadableCount, "row")) unreadable: see \(verbs)")
        }
    }
}
