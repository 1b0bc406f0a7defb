import ArgumentParser
import Groundwave
import GroundwaveMetering
import GroundwaveMeters

/// Whether values are shown calibrated or as measured.
struct ValueOptions: ParsableArguments {
    @Flag(help: "Show what was measured, without the calibration (groundwave trace calibrate).")
    var measured = false

    var values: TraceValues { measured ? .measured : .calibrated }
}

/// The correction of a channel as JSON.
struct CalibrationResult: Encodable {
    var name: String
    var unit: String
    var factor: String
    var offset: String

    init(_ item: Calibration.Item) {
        (name, unit) = (item.name, item.unit.rawValue)
        (factor, offset) = ("\(item.correction.factor)", "\(item.correction.offset)")
    }

    /// The corrections of `calibration`; `nil` if there are none, so that the key is omitted.
    static func all(_ calibration: Calibration) -> [CalibrationResult]? {
        calibration.isEmpty ? nil : calibration.items.map(CalibrationResult.init)
    }
}
