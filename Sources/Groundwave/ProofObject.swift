import ByteCoding
import Events
import Radio

/// One JSON object of a proof or signed head.
///
/// All members must be known, occur once and have the right form. Unknown members are refused and not ignored, so
/// that no edit of a file goes unnoticed.
struct ProofObject {
    private let what: String
    private let members: [String: JSONText]

    /// - Parameters:
    ///   - what: The name of the object, for messages.
    ///   - required: The members that must be present.
    ///   - optional: The members that may be present.
    init(_ json: JSONText, _ what: String, _ required: Set<String>, optional: Set<String> = []) throws {
        guard case .object(let list) = json else { throw Self.damaged("\(what) is not a JSON object.") }
        let names = Set(list.map(\.name))
        guard names.count == list.count else { throw Self.damaged("\(what) has a member twice.") }
        if let unknown = names.subtracting(required).subtracting(optional).min() {
            throw Self.damaged("\(what) has a member “\(unknown.prefix(40))” that is not allowed.")
        }
        if let missing = required.subtracting(names).min() {
            throw Self.damaged("\(what) is missing the member “\(missing)”.")
        }
        self.what = what
        members = Dictionary(uniqueKeysWithValues: list.map { ($0.name, $0.value) })
    }

    /// Parses the object that a whole file holds, of this type and version 1.
    static func file(_ bytes: [UInt8], type: String, _ required: Set<String>) throws -> ProofObject {
        guard let json = JSONText(bytes[...]) else { throw damaged("This is not JSON text.") }
        guard json["groundwave"] == .string(type) else { throw damaged("This is not a Groundwave \(type).") }
        guard json["v"] == .number("1") else {
            throw StoreError(
                .damaged, "The \(type) has a version that this program does not read.", hint: "Use a newer program.")
        }
        return try ProofObject(json, "The \(type)", required.union(["v", "groundwave"]))
    }

    func has(_ name: String) -> Bool { members[name] != nil }

    func value(_ name: String) throws -> JSONText {
        guard let value = members[name] else { throw Self.damaged("\(what) is missing the member “\(name)”.") }
        return value
    }

    func list(_ name: String, limit: Int) throws -> [JSONText] {
        let json = try value(name)
        guard case .array(let elements) = json else { throw malformed(name) }
        guard elements.count <= limit else {
            throw Self.damaged("\(what) has more than \(limit) elements in “\(name)”.")
        }
        return elements
    }

    func number(_ name: String) throws -> UInt64 {
        let json = try value(name)
        guard case .number(let digits) = json else { throw malformed(name) }
        guard let number = UInt64(digits) else { throw malformed(name) }
        return number
    }

    func id<ID: SixteenByteID>(_ name: String) throws -> ID {
        guard let id = ID(text: try text(value(name), of: name)) else { throw malformed(name) }
        return id
    }

    func bytes(_ name: String, count: Int? = nil) throws -> [UInt8] {
        let bytes = try bytes(value(name), of: name)
        if let count, bytes.count != count { throw malformed(name) }
        return bytes
    }

    func hash(_ name: String) throws -> Hash256 { try hash(value(name), of: name) }

    func hashes(_ name: String, limit: Int) throws -> [Hash256] {
        try list(name, limit: limit).map { try hash($0, of: name) }
    }

    private func hash(_ json: JSONText, of name: String) throws -> Hash256 {
        let bytes = try bytes(json, of: name)
        guard bytes.count == 32 else { throw malformed(name) }
        return bytes.withSpan { Hash256(at: 0, of: $0) }
    }

    private func bytes(_ json: JSONText, of name: String) throws -> [UInt8] {
        guard let bytes = Hexadecimal.decode(try text(json, of: name)) else { throw malformed(name) }
        return bytes
    }

    private func text(_ json: JSONText, of name: String) throws -> String {
        guard case .string(let text) = json else { throw malformed(name) }
        return text
    }

    private func malformed(_ name: String) -> StoreError { Self.damaged("\(what) has a malformed member “\(name)”.") }

    static func damaged(_ message: String) -> StoreError { StoreError(.damaged, message) }
}
