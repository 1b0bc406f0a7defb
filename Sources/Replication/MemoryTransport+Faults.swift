extension MemoryTransport {
    /// What goes wrong at a place. Without faults it does what ``Transport`` promises.
    public struct Faults: Hashable, Sendable {
        /// Whether every request fails, and nothing happens.
        public var isUnreachable = false
        /// How many bytes all objects together may have; an object that would be more is refused as `full`. As many as
        /// they like where there is no number.
        public var roomBytes: Int?
        /// How many of the objects that were stored last a listing lacks.
        public var listingsLackObjects = 0
        /// A listing lacks what the last so many calls of `putIfAbsent` stored; calls that found their object there
        /// already, or no room, count too. So a listing catches up as others go on.
        public var listingsLackPuts = 0
        /// Whether `putIfAbsent` throws `unreachable` when it is done: the object is there, and its writer does not
        /// know.
        public var putsFailAfterwards = false
        /// How many bytes of an object, or of the range of it, are handed out at most, as if they were all.
        public var getsEndAfterBytes: Int?

        /// No faults.
        public init() {}
    }

    /// A request, as the closure sees it that decides on its faults.
    public enum Request: Hashable, Sendable {
        /// To store an object.
        case put(ObjectName)
        /// To hand out an object.
        case get(ObjectName)
        /// To list the objects of a folder.
        case list(ObjectPrefix)
        /// To list the folders in a folder.
        case folders(ObjectPrefix)
        /// To delete an object.
        case delete(ObjectName)
    }
}
