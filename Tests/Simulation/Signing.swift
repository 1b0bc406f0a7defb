import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveReplication
import GroundwaveSeededNumbers

/// How a history signs: really, or by something that costs a hundredth of it.
struct Signing: Sendable {
    let identities: [Identity]
    let checkHead: @Sendable (SignedHead) throws(SignedHeadError) -> Void
    let isValid: @Sendable (_ signature: [UInt8], _ message: [UInt8], _ publicKey: [UInt8]) -> Bool

    static let standIn = Signing(
        identities: (UInt64(1)...96).map { Identity(standIn: $0) },
        checkHead: { head throws(SignedHeadError) in try head.checkStandIn() },
        isValid: { Identity.isStandIn($0, of: $1, by: $2) })

    static let real = Signing(
        identities: (UInt64(1)...96).map { seed in
            var numbers = SeededGenerator(seed: seed)
            return Identity.random(using: &numbers)
        },
        checkHead: { head throws(SignedHeadError) in try head.check() },
        isValid: { Identity.isValid($0, of: $1, by: $2) })
}
