import Synchronization

/// A remote in memory, which can simulate every failure of a transport.
///
/// It has no clock and no randomness, so the same sequence of calls always gives the same results. Its methods are
/// synchronous, so that a simulation can determine the order of calls. Through ``Transport`` it is called like any
/// other remote.
///
/// Unlike a folder, it can hold an object `a` beside an object `a/b`.
public final class MemoryTransport: Transport {
    /// Returns the faults of one request, given the request and the faults that are set.
    ///
    /// It must not call the transport.
    public typealias FaultsOfRequest = @Sendable (Request, Faults) -> Faults

    /// The maximum size of an object in bytes.
    public let objectBytes: Int

    private let faultsOfRequest: FaultsOfRequest?
    private let state: Mutex<State>
    private let watchers = Watchers()

    private struct State {
        var faults: Faults
        var objects = MemoryObjects()
    }

    /// Creates an empty remote.
    ///
    /// - Parameters:
    ///   - objectBytes: The maximum size of an object in bytes.
    ///   - faults: The initial faults.
    ///   - faultsOfRequest: Returns the faults of each request, and is called for one request at a time: for example
    ///     a closure over a seeded generator. Without it, the faults are those that are set.
    public init(
        objectBytes: Int = 64 << 20, faults: Faults = Faults(), faultsOfRequest: FaultsOfRequest? = nil
    ) {
        self.objectBytes = objectBytes
        self.faultsOfRequest = faultsOfRequest
        state = Mutex(State(faults: faults))
    }

    deinit { watchers.finish() }

    /// The present faults.
    public var faults: Faults {
        get { state.withLock { $0.faults } }
        set { state.withLock { $0.faults = newValue } }
    }

    /// The number of objects, whatever a listing shows.
    public var objectCount: Int { state.withLock { $0.objects.names.count } }

    /// The total size of the objects in bytes.
    public var byteCount: Int { state.withLock { $0.objects.byteCount } }

    /// Deletes all objects, like a user who empties the folder. Notifies watchers.
    public func empty() {
        state.withLock { $0.objects.removeAll() }
        watchers.notify()
    }

    private func perform<Outcome: Sendable>(
        _ request: Request, _ body: (inout MemoryObjects, Faults) throws(TransportError) -> Outcome
    ) throws(TransportError) -> Outcome {
        try state.withLock { (state) throws(TransportError) -> Outcome in
            let faults = faultsOfRequest?(request, state.faults) ?? state.faults
            if faults.isUnreachable { throw .unreachable("The remote in memory cannot be reached.") }
            return try body(&state.objects, faults)
        }
    }

    /// Stores an object; see ``Transport``. Notifies watchers.
    ///
    /// - Throws: ``TransportError``; then nothing was stored, unless ``Faults/putsFailAfterwards`` is set.
    public func putIfAbsent(_ name: ObjectName, _ bytes: [UInt8]) throws(TransportError) -> PutOutcome {
        guard bytes.count <= objectBytes else { throw .tooLarge(name, byteCount: bytes.count) }
        let (outcome, isAnswerLost) = try perform(.put(name)) {
            (objects, faults) throws(TransportError) -> (PutOutcome, Bool) in
            (try objects.put(name, bytes, roomBytes: faults.roomBytes), faults.putsFailAfterwards)
        }
        if outcome == .stored { watchers.notify() }
        if isAnswerLost { throw .unreachable("The answer to storing \(name) was lost.") }
        return outcome
    }

    /// Replaces an object; see ``Transport``. Notifies watchers.
    ///
    /// - Throws: ``TransportError``; then nothing was stored, unless ``Faults/putsFailAfterwards`` is set.
    public func replace(_ name: ObjectName, _ bytes: [UInt8]) throws(TransportError) {
        guard bytes.count <= objectBytes else { throw .tooLarge(name, byteCount: bytes.count) }
        let isAnswerLost = try perform(.replace(name)) { (objects, faults) throws(TransportError) -> Bool in
            try objects.replace(name, bytes, roomBytes: faults.roomBytes)
            return faults.putsFailAfterwards
        }
        watchers.notify()
        if isAnswerLost { throw .unreachable("The answer to replacing \(name) was lost.") }
    }

    /// Returns the bytes of an object; see ``Transport``.
    ///
    /// - Throws: The ``TransportError`` of the faults that are set; `tooLarge` if more than `limit` bytes are asked for.
    public func get(_ name: ObjectName, range: Range<Int>?, limit: Int) throws(TransportError) -> [UInt8]? {
        try perform(.get(name)) { (objects, faults) throws(TransportError) -> [UInt8]? in
            guard let bytes = objects.bytes(of: name) else { return nil }
            let taken = (range ?? bytes.indices).clamped(to: bytes.indices)
            guard taken.count <= limit else { throw .tooLarge(name, byteCount: taken.count) }
            return Array(bytes[taken].prefix(faults.getsEndAfterBytes ?? taken.count))
        }
    }

    /// Returns the names of objects; see ``Transport``.
    ///
    /// - Throws: The ``TransportError`` of the faults that are set.
    public func list(
        prefix: ObjectPrefix, startAfter: ObjectName?, limit: Int
    ) throws(TransportError) -> [ObjectName] {
        try perform(.list(prefix)) { (objects, faults) in
            Array(objects.names(below: prefix, hiding: faults, after: startAfter).prefix(max(limit, 0)))
        }
    }

    /// Returns the names of folders; see ``Transport``. A folder exists while an object is below it.
    ///
    /// - Throws: The ``TransportError`` of the faults that are set.
    public func folders(prefix: ObjectPrefix, limit: Int) throws(TransportError) -> [String] {
        try perform(.folders(prefix)) { (objects, faults) in
            Array(objects.folders(below: prefix, hiding: faults).prefix(max(limit, 0)))
        }
    }

    /// Deletes an object; see ``Transport``. Notifies watchers.
    ///
    /// - Throws: The ``TransportError`` of the faults that are set.
    public func delete(_ name: ObjectName) throws(TransportError) {
        let isDeleted = try perform(.delete(name)) { (objects, _) in objects.delete(name) }
        if isDeleted { watchers.notify() }
    }

    /// Notifies of each object stored or deleted; several changes may be merged. Ends with this object.
    public func watch() -> AsyncStream<Void>? { watchers.stream() }
}
