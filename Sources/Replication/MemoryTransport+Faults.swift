extension MemoryTransport {
    /// The faults of a remote. Without faults it behaves as ``Transport`` specifies.
    public struct Faults: Hashable, Sendable {
        /// Whether every request fails and has no effect.
        public var isUnreachable = false
        /// The maximum total size of the objects in bytes; larger ones are refused as `full`. Unlimited if `nil`.
        public var roomBytes: Int?
        /// The number of most recently stored objects that listings miss.
        public var listingsLackObjects = 0
        /// The number of latest `putIfAbsent` calls whose objects listings miss. Calls that stored nothing, since the
        /// object existed or there was no room, count too. So a listing catches up as others continue to write.
        public var listingsLackPuts = 0
        /// Whether `putIfAbsent` and `replace` throw `unreachable` after they have stored the object, so that the writer
        /// does not know of it.
        public var putsFailAfterwards = false
        /// The maximum number of bytes returned of an object, or of a range of it, as if they were all.
        public var getsEndAfterBytes: Int?

        /// No faults.
        public init() {}
    }

    /// A request, as passed to the closure that returns its faults.
    public enum Request: Hashable, Sendable {
        /// Store an object.
        case put(ObjectName)
        /// Store an object in place of another one.
        case replace(ObjectName)
        /// Read an object.
        case get(ObjectName)
        /// List the objects of a folder.
        case list(ObjectPrefix)
        /// List the subfolders of a folder.
        case folders(ObjectPrefix)
        /// Delete an object.
        case delete(ObjectName)
    }
}
