/// An address of the page: a path, and parameters that say what of it is shown. Every state that can be seen has one.
struct Address: Sendable, Equatable, CustomStringConvertible {
    /// The parts of the path, as plain text.
    private(set) var path: [String]
    /// The parameters, as plain text, in the order in which they are written.
    private(set) var parameters: [(name: String, value: String)] = []

    /// The address of the page with this path.
    init(_ path: String...) { self.path = path }

    /// The address of a page with this path.
    init(path: [String], parameters: [(name: String, value: String)] = []) {
        (self.path, self.parameters) = (path, parameters)
    }

    static func == (one: Address, other: Address) -> Bool { one.description == other.description }

    /// The same address with a parameter set, or taken away if `value` is `nil` or empty.
    func with(_ name: String, _ value: (some CustomStringConvertible)?) -> Address {
        var copy = self
        copy.parameters.removeAll { $0.name == name }
        if let text = value?.description, !text.isEmpty { copy.parameters.append((name, text)) }
        return copy
    }

    /// The same address without a parameter.
    func without(_ names: String...) -> Address {
        var copy = self
        copy.parameters.removeAll { names.contains($0.name) }
        return copy
    }

    /// The same address with the parameters of `names` that `other` has.
    func keeping(_ names: [String], of other: Address) -> Address {
        var copy = self
        for parameter in other.parameters where names.contains(parameter.name) { copy.parameters.append(parameter) }
        return copy
    }

    /// The value of a parameter; `nil` if it is missing or empty.
    func value(_ name: String) -> String? {
        parameters.first { $0.name == name && !$0.value.isEmpty }?.value
    }

    /// The values of a parameter that may be given several times.
    func values(_ name: String) -> [String] {
        parameters.filter { $0.name == name && !$0.value.isEmpty }.map(\.value)
    }

    /// The address as a browser is given it (RFC 3986): everything but unreserved characters as percent signs and digits.
    var description: String {
        var text = path.reduce(into: "") { $0 += "/" + Self.encoded($1) }
        if path.isEmpty { text = "/" }
        for (index, parameter) in parameters.enumerated() {
            text += "\(index == 0 ? "?" : "&")\(Self.encoded(parameter.name))=\(Self.encoded(parameter.value))"
        }
        return text
    }

    private static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF")
        var result = ""
        for byte in text.utf8 {
            switch byte {
            // Beside the unreserved ones, those that a query may have as they are and points are full of.
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"), UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: ","):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                result += "%"
                result.append(digits[Int(byte >> 4)])
                result.append(digits[Int(byte & 15)])
            }
        }
        return result
    }
}
