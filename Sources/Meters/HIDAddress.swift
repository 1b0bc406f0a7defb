import GroundwaveMeterProtocols
import GroundwaveStore

/// What names the USB HID of a meter.
///
/// | text | the HID |
/// |---|---|
/// | `hid:` | the only one that is of the model |
/// | `hid:2E3C:5558` | the only one of this vendor and product, in hexadecimal digits |
/// | `hid:/dev/hidraw3` | this one |
enum HIDAddress: Hashable {
    case model
    case identity(USBIdentity)
    case path(String)

    /// What an address begins with.
    static let prefix = "hid:"

    /// Reads an address.
    ///
    /// - Throws: ``StoreError`` with code `usage` if `text` is none.
    init(_ text: String) throws {
        let rest = text.dropFirst(Self.prefix.count)
        if text.hasPrefix(Self.prefix), rest.isEmpty {
            self = .model
        } else if text.hasPrefix(Self.prefix), rest.hasPrefix("/") {
            self = .path(String(rest))
        } else if text.hasPrefix(Self.prefix), let identity = USBIdentity(rest) {
            self = .identity(identity)
        } else {
            throw StoreError(
                .usage, "“\(text)” does not name a USB HID.",
                hint: """
                    Use hid: for the only meter of the model, hid:2E3C:5558 with its vendor and product, or \
                    hid:/dev/hidraw3.
                    """)
        }
    }

    /// Returns the path of the node that is meant among `nodes`; `nil` if it is not there.
    ///
    /// - Throws: ``StoreError`` with code `usage` if several are there, or if the model is no HID.
    func path(of model: MeterModel, among nodes: [HIDNode]) throws -> String? {
        let identities: [USBIdentity]
        switch self {
        case .path(let path): return path
        case .identity(let identity): identities = [identity]
        case .model: identities = model.hidIdentities
        }
        guard !identities.isEmpty else {
            throw StoreError(
                .usage, "The \(model.displayName) is not a USB HID.", hint: "Instead: \(.useSerialDevice)")
        }
        let found = nodes.filter { identities.contains($0.identity) }
        guard found.count <= 1 else {
            throw StoreError(
                .usage, "There are \(found.count) such meters: \(found.map(\.path).joined(separator: ", ")).",
                hint: "For the first one: \(.chooseDevice("\(Self.prefix)\(found[0].path)"))")
        }
        return found.first?.path
    }

    /// Returns the error of a HID that is not there, with the meters among `nodes`.
    func notFound(_ model: MeterModel, among nodes: [HIDNode]) -> StoreError {
        let what =
            switch self {
            case .model: "\(model.displayName) as a USB HID"
            case .identity(let identity): "USB HID \(identity)"
            case .path(let path): "USB HID at \(path)"
            }
        let others = nodes.flatMap { node in
            MeterModel.allCases.filter { $0.hidIdentities.contains(node.identity) }.map { model -> Hint in
                "\(node.path) is a \(model.displayName): \(.chooseModel(model.rawValue))"
            }
        }
        return StoreError(
            .notFound, "There is no \(what).",
            hint: others.isEmpty ? "Check that the meter is on and connected." : Hint(others))
    }
}
