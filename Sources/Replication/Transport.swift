/// A place where the stores of one log leave objects for one another: a folder, a bucket, memory.
///
/// It needs no more than any dumb storage has: an object is written once, under a name that nobody has taken, and is
/// read, listed and deleted. Nothing that a transport says is trusted: what it hands out is checked like any input from
/// outside, a listing may be old, and an object that is not there may come later.
public protocol Transport: Sendable {
    /// What this place can do.
    var capabilities: TransportCapabilities { get }

    /// Stores `bytes` under `name`, unless there is an object of that name.
    ///
    /// When it returns ``PutOutcome/stored``, the object is durable as far as the place promises, and whole: no reader
    /// ever sees part of it.
    ///
    /// - Throws: ``TransportError``; then the object is there whole, or not at all. `tooLarge` where there are more bytes
    ///   than ``TransportCapabilities/objectBytes``.
    func putIfAbsent(_ name: ObjectName, _ bytes: [UInt8]) async throws(TransportError) -> PutOutcome

    /// The bytes of an object, or some of them; `nil` where there is no object of that name.
    ///
    /// - Parameters:
    ///   - range: Which bytes; what lies behind the end is left out. All of them where none is given.
    ///   - limit: The most bytes to take. Where the object, or the range of it, has more, nothing is read.
    /// - Throws: ``TransportError``; `tooLarge` where there would be more than `limit`.
    func get(_ name: ObjectName, range: Range<Int>?, limit: Int) async throws(TransportError) -> [UInt8]?

    /// The names of objects below `prefix`, in order of their bytes.
    ///
    /// A listing may lack what was stored a moment ago. Never take it that what is not listed is gone.
    ///
    /// - Parameters:
    ///   - startAfter: Only names behind this one.
    ///   - limit: The most names; the caller goes on behind the last one.
    func list(
        prefix: ObjectPrefix, startAfter: ObjectName?, limit: Int
    ) async throws(TransportError) -> [ObjectName]

    /// The names of the folders right below `prefix`, in order of their bytes. At most `limit`.
    ///
    /// A folder whose objects have all been deleted may be among them or not.
    func folders(prefix: ObjectPrefix, limit: Int) async throws(TransportError) -> [String]

    /// Deletes an object; nothing happens where there is none.
    func delete(_ name: ObjectName) async throws(TransportError)

    /// Tells, as often as it likes, that something may have changed; ends when the place can tell no more. Hints may be
    /// lost. `nil` where the place cannot tell.
    func watch() -> AsyncStream<Void>?
}

/// What came of storing an object.
public enum PutOutcome: Hashable, Sendable {
    /// It is there now.
    case stored
    /// There is an object of that name already; it is as it was.
    case exists
}

/// What a transport can do, and how it is best used.
public struct TransportCapabilities: Hashable, Sendable {
    /// Whether it tells of changes by itself.
    public var canWatch: Bool
    /// The most bytes of one object.
    public var objectBytes: Int

    /// Capabilities of these parts.
    public init(canWatch: Bool, objectBytes: Int) {
        self.canWatch = canWatch
        self.objectBytes = objectBytes
    }
}

/// Why a transport could not do something.
public enum TransportError: Error, Hashable, Sendable {
    /// The place cannot be reached now; trying again later may help.
    case unreachable(String)
    /// The place has no room left.
    case full(String)
    /// The place does not let us.
    case notPermitted(String)
    /// An object is more than the caller, or the place, will take.
    case tooLarge(ObjectName, byteCount: Int)
    /// There is something under that name that no store has put there: a symbolic link, a device, a folder.
    case refused(ObjectName, String)
}
