import Foundation

/// The moments at which a test kills, or the places at which it damages: eight, or as many as `GROUNDWAVE_TRIALS` says.
let trials: ClosedRange<UInt64> = {
    let text = ProcessInfo.processInfo.environment["GROUNDWAVE_TRIALS"] ?? ""
    return 1...max(1, UInt64(text) ?? 8)
}()
