/// The keys by which requests to an object store are signed. What is printed of them never holds a secret.
public struct S3Credentials: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The name of the key pair, which the server is told.
    public let accessKeyID: String
    /// The secret that signs, and is never sent.
    let secretAccessKey: String
    /// What comes with keys that are valid for some hours; `nil` for lasting ones.
    let sessionToken: String?

    /// Creates credentials from their parts.
    public init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
    }

    /// The first letters of the key's name.
    public var description: String { "keys \(accessKeyID.prefix(4))…" }
    /// The same.
    public var debugDescription: String { description }
    /// Shows no parts, so that `dump` and the messages of failed tests have no secret either.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Whether each part can stand in a header: letters of ASCII that are printed.
    var isPrintable: Bool {
        [accessKeyID, secretAccessKey, sessionToken ?? "-"].allSatisfy { part in
            !part.isEmpty && part.utf8.count <= 4_096 && part.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        }
    }
}
