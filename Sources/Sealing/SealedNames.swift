import Crypto
import CryptoExtras
import GroundwaveByteCoding
import GroundwaveEvents

/// The names that objects have at a remote that may not know whose they are, and when snapshots were made.
///
/// | plain name | sealed name |
/// |---|---|
/// | `groundwave-log`, `groundwave-log-again` | `groundwave-sealed`, `groundwave-sealed-again` |
/// | `stores/REPLICA/catalog` | REPLICA sealed |
/// | `stores/REPLICA/NUMBER.segment` | REPLICA sealed |
/// | `stores/REPLICA/HASH.pack` | REPLICA and HASH sealed |
/// | `snapshots/heads/TIME-HASH.head` | TIME and HASH sealed |
/// | `snapshots/parts/TIME-HASH-PART.part` | TIME and HASH sealed |
///
/// NUMBER has 20 decimal digits, TIME 15, PART four; HASH has 32 hexadecimal digits in lower case. Sealed names have the same
/// form, and two names that differ have sealed names that differ. Nothing else has a sealed name.
///
/// | part | its bytes | sealed |
/// |---|---|---|
/// | REPLICA | 16, as base32 | AES-256 of the bytes (FIPS 197, one block), with the key `groundwave replica names` |
/// | HASH | 16, as hexadecimal digits | AES-256 of the bytes, with the key `groundwave hash names` |
/// | TIME | a number | the number and a secret one, `groundwave times`, at most 999,999,999,999,999 |
///
/// The keys are derived from the key of names (HKDF with SHA-256, no salt, the text as info); the secret number is 8 bytes
/// of that kind, little-endian, modulo 800,000,000,000,000. Segments and snapshots stay in order, which a store relies on.
package struct SealedNames: Secret {
    private let replicaKey: SymmetricKey
    private let hashKey: SymmetricKey
    private let secretTime: UInt64

    /// The names under a key of 32 bytes.
    package init(namesKey: [UInt8]) {
        precondition(namesKey.count == 32, "The key of names has 32 bytes.")
        replicaKey = DerivedKey.key(from: namesKey, for: "groundwave replica names")
        hashKey = DerivedKey.key(from: namesKey, for: "groundwave hash names")
        let bytes = DerivedKey.bytes(from: namesKey, for: "groundwave times", byteCount: 8)
        secretTime = bytes.span.bytes.uint64(at: 0) % Self.timeLimit
    }

    /// What the secret number is below: so that every time before the year 8300 can be sealed.
    private static let timeLimit: UInt64 = 800_000_000_000_000
    private static let greatestTime: UInt64 = 999_999_999_999_999

    private enum Direction { case sealing, opening }

    /// Returns the sealed name of an object; `nil` if its plain name has none of the forms, or its time is too late.
    ///
    /// Cost: about 15 us.
    package func sealed(_ name: String) -> String? { translated(name, .sealing) }

    /// Returns the plain name of an object; `nil` if no name is sealed as this one.
    package func plain(_ name: String) -> String? { translated(name, .opening) }

    /// Returns the sealed name of a folder of objects: `stores`, `stores/REPLICA`, `snapshots`, `snapshots/heads` or
    /// `snapshots/parts`; `nil` for every other one.
    package func sealed(folder: String) -> String? {
        if ["stores", "snapshots", "snapshots/heads", "snapshots/parts"].contains(folder) { return folder }
        let parts = Self.parts(of: folder)
        guard parts.count == 2, parts[0] == "stores" else { return nil }
        return replica(parts[1], .sealing).map { "stores/\($0)" }
    }

    /// Returns the plain name of a folder in `stores`: the text of a replica; `nil` if `storeFolder` is not the sealed one.
    package func plain(storeFolder: String) -> String? { replica(storeFolder[...], .opening) }

    private func translated(_ name: String, _ direction: Direction) -> String? {
        if let mark = Self.mark(name, direction) { return mark }
        let parts = Self.parts(of: name)
        guard parts.count == 3 else { return nil }
        switch (parts[0], parts[1]) {
        case ("snapshots", "heads"):
            return snapshot(parts[2], suffix: ".head", partDigits: 0, direction)
                .map { "snapshots/heads/\($0)" }
        case ("snapshots", "parts"):
            return snapshot(parts[2], suffix: ".part", partDigits: 4, direction)
                .map { "snapshots/parts/\($0)" }
        case ("stores", let store):
            guard let store = replica(store, direction), let last = storeObject(parts[2], direction) else { return nil }
            return "stores/\(store)/\(last)"
        default: return nil
        }
    }

    /// The parts of a name in ASCII, between the `/`; none for other names.
    private static func parts(of name: String) -> [Substring] {
        guard name.utf8.allSatisfy({ $0 < 0x80 }) else { return [] }
        return name.split(separator: "/", omittingEmptySubsequences: false)
    }

    private static func mark(_ name: String, _ direction: Direction) -> String? {
        switch (name, direction) {
        case ("groundwave-log", .sealing): "groundwave-sealed"
        case ("groundwave-log-again", .sealing): "groundwave-sealed-again"
        case ("groundwave-sealed", .opening): "groundwave-log"
        case ("groundwave-sealed-again", .opening): "groundwave-log-again"
        default: nil
        }
    }

    private func storeObject(_ name: Substring, _ direction: Direction) -> String? {
        if name == "catalog" { return "catalog" }
        if name.hasSuffix(".pack") { return hash(name.dropLast(5), direction).map { "\($0).pack" } }
        guard name.hasSuffix(".segment"), Self.isNumber(name.dropLast(8), digits: 20) else { return nil }
        return String(name)
    }

    private func snapshot(
        _ name: Substring, suffix: String, partDigits: Int, _ direction: Direction
    ) -> String? {
        guard name.hasSuffix(suffix) else { return nil }
        let fields = name.dropLast(suffix.utf8.count).split(separator: "-", omittingEmptySubsequences: false)
        guard fields.count == (partDigits == 0 ? 2 : 3), let time = time(fields[0], direction),
            let hash = hash(fields[1], direction)
        else { return nil }
        if partDigits == 0 { return "\(time)-\(hash)\(suffix)" }
        return Self.isNumber(fields[2], digits: partDigits) ? "\(time)-\(hash)-\(fields[2])\(suffix)" : nil
    }

    private func time(_ text: Substring, _ direction: Direction) -> String? {
        guard Self.isNumber(text, digits: 15), let time = UInt64(text) else { return nil }
        guard direction == .sealing ? time <= Self.greatestTime - secretTime : time >= secretTime else { return nil }
        let digits = String(direction == .sealing ? time + secretTime : time - secretTime)
        return String(repeating: "0", count: 15 - digits.utf8.count) + digits
    }

    private func replica(_ text: Substring, _ direction: Direction) -> String? {
        // Only the form that a replica is shown in: base32 may also be read in others.
        guard let id = ReplicaID(text: text), id.description == text else { return nil }
        return ReplicaID(block(id.bytes, replicaKey, direction)).description
    }

    private func hash(_ text: Substring, _ direction: Direction) -> String? {
        guard text.utf8.count == 32, let bytes = Hexadecimal.decode(String(text)), Hexadecimal.encode(bytes) == text
        else {
            return nil
        }
        return Hexadecimal.encode(block(bytes, hashKey, direction))
    }

    /// AES of one block. That alone hides nothing of contents with two equal blocks: here each block is a whole name.
    private func block(_ bytes: [UInt8], _ key: SymmetricKey, _ direction: Direction) -> [UInt8] {
        var block = bytes
        do {
            switch direction {
            case .sealing: try AES.permute(&block, key: key)
            case .opening: try AES.inversePermute(&block, key: key)
            }
        } catch { preconditionFailure("A block has 16 bytes, and a key 32.") }
        return block
    }

    private static func isNumber(_ text: Substring, digits: Int) -> Bool {
        text.utf8.count == digits && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
