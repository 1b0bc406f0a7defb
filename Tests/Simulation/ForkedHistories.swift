import EventLog
import Events

/// What is promised at present of replicas that two devices wrote as, neither knowing of the other.
///
/// A log keeps the ranges of another history than its own aside and does not fold them, and does not hand them on. So
/// everybody who has met everybody has what lies in the log of any of them, and what lies aside is lost by nobody.
struct ForkedHistories<Log: SimulatedLog> {
    private let devices: [Device<Log>]
    private let truth: Truth

    init(_ devices: [Device<Log>], _ truth: Truth) {
        self.devices = devices
        self.truth = truth
    }

    func check() throws {
        guard !truth.mayFork.isEmpty else { return }
        var inLogs: Set<Hash256> = []
        for device in devices {
            var hasher = MerkleHasher()
            let identity = device.identity
            let proven = try device.log.provenVector(signedBy: identity)
            try device.log.forEach(from: 1) { _, frame, bytes in
                if truth.mayFork.contains(frame.id.replica), proven.contains(frame.id) {
                    inLogs.insert(hasher.leaf(of: frame, in: bytes))
                }
            }
        }
        for device in devices {
            let missing = inLogs.subtracting(try device.heldLeaves())
            guard missing.isEmpty else {
                throw BrokenPromise(
                    "Device \(device.number) lacks \(missing.count) events of replicas with several histories.")
            }
        }
    }
}
