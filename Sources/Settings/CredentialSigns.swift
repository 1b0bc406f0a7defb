/// Recognises credentials by the names of their keys and by the marks that services put on them.
enum CredentialSigns {
    /// The word in `key` that names a credential, whatever its case and separators; `nil` if there is none.
    static func word(in key: String) -> String? {
        let letters = key.lowercased().filter { $0.isLetter || $0.isNumber }
        return words.first { letters.contains($0) }
    }

    private static let words = [
        "password", "passwd", "passphrase", "passwort", "secret", "token", "apikey", "accesskey", "privatekey",
        "credential", "bearer", "oauth", "sessionid", "cookie", "authorization", "authkey", "pincode", "login",
    ]

    /// Whether `value` contains a credential: as plain text, backwards, with percent or JSON escapes, or in base64 or
    /// hex of UTF-8 or UTF-16.
    static func areIn(_ value: String) -> Bool {
        var forms = [value, String(value.reversed())]
        if value.contains("%") { forms += Decoding.percent(value).map { [$0] } ?? [] }
        if value.contains("\\u") { forms.append(Decoding.jsonEscapes(value)) }
        for bytes in [Decoding.base64(value), Decoding.hex(value)].compactMap({ $0 }) { forms += Decoding.texts(bytes) }
        return forms.contains { isMarked($0) || namesOne($0) }
    }

    private static func isMarked(_ text: String) -> Bool {
        if marks.contains(where: { text.contains($0) }) { return true }
        for scheme in ["Bearer ", "bearer "] {
            guard let place = text.firstRange(of: scheme) else { continue }
            let token = text[place.upperBound...].prefix { !$0.isWhitespace }
            if token.count >= 16 { return true }
        }
        guard text.hasPrefix("Basic "), let pair = Decoding.base64(String(text.dropFirst(6))) else { return false }
        return pair.contains(UInt8(ascii: ":"))
    }

    private static let marks = [
        "-----BEGIN", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "AKIA", "ASIA", "sk_live_",
        "sk-ant-", "sk-proj-", "AIzaSy", "eyJhbGciOi", "ssh-rsa AAAA", "age-secret-key-", "AGE-SECRET-KEY-",
    ]

    /// Whether `text` assigns a value to a credential name, as in `"password": "…"` or `api_key=…`.
    private static func namesOne(_ text: String) -> Bool {
        for match in text.matches(of: /["']?([A-Za-z][A-Za-z0-9_\-]*)["']?\s*[:=]\s*["']?[^\s"'{\[]/) {
            if word(in: String(match.1)) != nil { return true }
        }
        return false
    }
}

/// Undoes the usual encodings of text.
enum Decoding {
    /// The texts that `bytes` may encode: UTF-8, and UTF-16 in either byte order.
    static func texts(_ bytes: [UInt8]) -> [String] {
        var texts = [String(decoding: bytes, as: UTF8.self)]
        if bytes.count >= 2, bytes.count % 2 == 0 {
            let pairs = stride(from: 0, to: bytes.count, by: 2).map { (UInt16(bytes[$0]), UInt16(bytes[$0 + 1])) }
            texts.append(String(decoding: pairs.map { $0.0 << 8 | $0.1 }, as: UTF16.self))
            texts.append(String(decoding: pairs.map { $0.1 << 8 | $0.0 }, as: UTF16.self))
        }
        return texts
    }

    /// Decodes base64, in either alphabet, padded or not; `nil` if `text` is not base64 or gives fewer than 4 bytes.
    static func base64(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for byte in text.utf8 where byte != UInt8(ascii: "=") && byte != UInt8(ascii: "\n") {
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit = byte - UInt8(ascii: "A")
            case UInt8(ascii: "a")...UInt8(ascii: "z"): digit = byte - UInt8(ascii: "a") + 26
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0") + 52
            case UInt8(ascii: "+"), UInt8(ascii: "-"): digit = 62
            case UInt8(ascii: "/"), UInt8(ascii: "_"): digit = 63
            default: return nil
            }
            bits = bits << 6 | UInt32(digit)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return bytes.count < 4 ? nil : bytes
    }

    /// Decodes pairs of hexadecimal digits; `nil` if `text` has fewer than 8 digits or anything else.
    static func hex(_ text: String) -> [UInt8]? {
        guard text.utf8.count >= 8, text.utf8.count % 2 == 0, text.allSatisfy(\.isHexDigit) else { return nil }
        let digits = text.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// `text` with escapes such as `%41` decoded; `nil` if the result is not UTF-8.
    static func percent(_ text: String) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// `text` with escapes such as `\u0041` decoded.
    static func jsonEscapes(_ text: String) -> String {
        text.replacing(/\\u([0-9A-Fa-f]{4})/) { match in
            UInt32(match.1, radix: 16).flatMap(Unicode.Scalar.init).map { String(Character($0)) } ?? ""
        }
    }
}
