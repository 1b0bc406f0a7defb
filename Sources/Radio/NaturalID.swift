import ADIF
import ByteCoding
import Events
import Records

// Records with a natural identity derive their ids from it, so that two devices that record the same park or receiver
// create the same record.
extension Radio {
    /// Returns the fields that identify a record of `kind`, in order; empty if its ids are random.
    public static func identityFields(of kind: String) -> [String] {
        switch kind {
        case activation.name: ["PARK", "DATE"]
        case webSDRFavorite.name: ["HOST"]
        case servicePresence.name: ["QSO", "SERVICE", "PARK"]
        case notesSource.name: ["URL"]
        default: []
        }
    }

    /// Returns the fields without which a record of `kind` cannot be added.
    public static func requiredFields(of kind: String) -> [String] {
        switch kind {
        case servicePresence.name: ["QSO", "SERVICE"]
        case notesSource.name: []
        default: identityFields(of: kind)
        }
    }

    /// Returns the id of the record of `kind` with these fields; `nil` if its id is random, because the kind has no
    /// natural identity or the identifying fields are missing.
    public static func naturalID(of kind: String, _ fields: (String) -> String?) -> RecordID? {
        func text(_ name: String) -> String? {
            fields(name).flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 }
        }
        let parts: [String]
        switch kind {
        case activation.name:
            guard let park = text("PARK"), let date = text("DATE") else { return nil }
            parts = [bare(park).uppercased(), bare(date).filter { $0 != "-" }]
        case webSDRFavorite.name:
            guard let host = text("HOST") else { return nil }
            parts = [NetworkAddress.host(host)]
        case servicePresence.name:
            guard let contact = text("QSO"), let service = text("SERVICE") else { return nil }
            parts = [bare(contact).uppercased(), bare(service).lowercased(), bare(text("PARK") ?? "").uppercased()]
        case notesSource.name:
            guard let url = text("URL") else { return nil }
            parts = [NetworkAddress.url(url)]
        default: return nil
        }
        return id(of: kind, parts)
    }

    /// Returns the id of the dismissal of two contacts, in either order.
    public static func dismissalID(_ one: RecordID, _ other: RecordID) -> RecordID {
        id(of: dismissal.name, [one, other].sorted().map { "\($0)" })
    }

    private static func id(of kind: String, _ parts: [String]) -> RecordID {
        let hash = [UInt8](([kind] + parts).joined(separator: "\u{0}").utf8).withSpan { Hash256(hashing: $0) }
        return RecordID(high: hash.id.high, low: hash.id.low)
    }

    private static func bare(_ text: String) -> String { text.filter { !$0.isWhitespace } }

    /// Returns the field that names a record of `kind` for users; `nil` if there is none.
    public static func nameField(of kind: String) -> String? {
        switch kind {
        case equipment.name, challenge.name: "NAME"
        case friend.name: "CALL"
        case webSDRFavorite.name: "HOST"
        case notesSource.name, session.name: "TITLE"
        case activation.name: "PARK"
        default: nil
        }
    }

    /// Throws if `schema` does not have the field.
    public static func check(field: String, of schema: KindSchema) throws(EntryProblem) {
        let names = schema.fields.filter { !$0.isInternal }.map(\.name)
        if names.contains(field) { return }
        let meant = Spelling.nearest(to: field, among: names)
        throw EntryProblem(
            "There is no field \(field) in records of the kind \(schema.name).",
            hint: meant.map { "Did you mean \($0)?" } ?? "Its fields are \(names.joined(separator: ", ")).")
    }
}

/// Normalises network names, so that equal addresses have equal texts.
enum NetworkAddress {
    /// Returns host and port in lower case, without scheme, path and the default port 80.
    static func host(_ text: String) -> String {
        let bare = text.filter { !$0.isWhitespace }.lowercased()
        let address = bare.firstRange(of: "://").map { bare[$0.upperBound...] } ?? bare[...]
        let host = address.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        return host.hasSuffix(":80") ? String(host.dropLast(3)) : String(host)
    }

    /// Returns a URL with scheme and host in lower case, without default port, fragment and trailing slashes. The
    /// default scheme is `https`.
    static func url(_ text: String) -> String {
        let bare = text.filter { !$0.isWhitespace }.prefix { $0 != "#" }
        guard let mark = bare.firstRange(of: "://") else { return url("https://" + bare) }
        let scheme = bare[..<mark.lowerBound].lowercased()
        let rest = bare[mark.upperBound...]
        var host = rest.prefix { $0 != "/" && $0 != "?" }.lowercased()
        let path = rest.dropFirst(host.count)
        for (name, port) in [("http", ":80"), ("https", ":443")] where scheme == name && host.hasSuffix(port) {
            host.removeLast(port.count)
        }
        var tail = String(path)
        while tail.hasSuffix("/") { tail.removeLast() }
        return "\(scheme)://\(host)\(tail)"
    }
}
