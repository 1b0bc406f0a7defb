import Synchronization

/// A place in memory: what a transport is, and every way in which one can fail, on demand.
///
/// It does what it is told and nothing by itself: it has no clock and no randomness, so one sequence of calls always
/// gives one sequence of results. Its methods are synchronous, so that a simulation can call them in an order of its
/// own; through ``Transport`` they are called like those of any other place.
///
/// Unlike a ``FolderTransport``, it holds an object `a` beside an object `a/b`.
public final class MemoryTransport: Transport {
    /// What goes wrong with one request, made from which one it is and the faults that are set.
    ///
    /// It must not call the transport.
    public typealias FaultsOfRequest = @Sendable (Request, Faults) -> Faults

    /// What this place can do.
    public let capabilities: TransportCapabilities

    private let faultsOfRequest: FaultsOfRequest?
    private let state: Mutex<State>
    private let watchers = Watchers()

    private struct State {
        var faults: Faults
        var objects = MemoryObjects()
    }

    /// An empty place.
    ///
    /// - Parameters:
    ///   - objectBytes: The most bytes of one object.
    ///   - faults: What goes wrong from the beginning.
    ///   - faultsOfRequest: Asked at each request, one after the other, for what goes wrong with this one: a closure
    ///     over a seeded generator. Without it, the faults are those that were set.
    public init(
        objectBytes: Int = 64 << 20, faults: Faults = Faults(), faultsOfRequest: FaultsOfRequest? = nil
    ) {
        capabilities = TransportCapabilities(canWatch: true, objectBytes: objectBytes)
        self.faultsOfRequest = faultsOfRequest
        state = Mutex(State(faults: faults))
    }

    deinit { watchers.finish() }

    /// What goes wrong from now on.
    public var faults: Faults {
        get { state.withLock { $0.faults } }
        set { state.withLock { $0.faults = newValue } }
    }

    /// How many objects there are, whatever a listing says.
    public var objectCount: Int { state.withLock { $0.objects.names.count } }

    /// How many bytes the objects have together.
    public var byteCount: Int { state.withLock { $0.objects.byteCount } }

    /// Takes everything away, as somebody does who clears the folder. Whoever watches is told.
    public func empty() {
        state.withLock { $0.objects.removeAll() }
        watchers.tell()
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

    /// Stores an object; see ``Transport``. Whoever watches is told.
    ///
    /// - Throws: ``TransportError``; nothing was stored, except where ``Faults/putsFailAfterwards`` says otherwise.
    public func putIfAbsent(_ name: ObjectName, _ bytes: [UInt8]) throws(TransportError) -> PutOutcome {
        guard bytes.count <= capabilities.objectBytes else { throw .tooLarge(name, byteCount: bytes.count) }
        let (outcome, isAnswerLost) = try perform(.put(name)) {
            (objects, faults) throws(TransportError) -> (PutOutcome, Bool) in
            (try objects.put(name, bytes, roomBytes: faults.roomBytes), faults.putsFailAfterwards)
        }
        if outcome == .stored { watchers.tell() }
        if isAnswerLost { throw .unreachable("The answer to storing \(name) was lost.") }
        return outcome
    }

    /// The bytes of an object; see ``Transport``.
    public func get(_ name: ObjectName, range: Range<Int>?, limit: Int) throws(TransportError) -> [UInt8]? {
        try perform(.get(name)) { (objects, faults) throws(TransportError) -> [UInt8]? in
            guard let bytes = objects.bytes(of: name) else { return nil }
            let taken = (range ?? bytes.indices).clamped(to: bytes.indices)
            guard taken.count <= limit else { throw .tooLarge(name, byteCount: taken.count) }
            return Array(bytes[taken].prefix(faults.getsEndAfterBytes ?? taken.count))
        }
    }

    /// The names of objects; see ``Transport``.
    public func list(
        prefix: ObjectPrefix, startAfter: ObjectName?, limit: Int
    ) throws(TransportError) -> [ObjectName] {
        try perform(.list(prefix)) { (objects, faults) in
            Array(objects.names(below: prefix, hiding: faults, after: startAfter).prefix(max(limit, 0)))
        }
    }

    /// The names of folders; see ``Transport``. A folder is there as long as an object is below it.
    public func folders(prefix: ObjectPrefix, limit: Int) throws(TransportError) -> [String] {
        try perform(.folders(prefix)) { (objects, faults) in
            Array(objects.folders(below: prefix, hiding: faults).prefix(max(limit, 0)))
        }
    }

    /// Deletes an object; see ``Transport``. Whoever watches is told.
    public func delete(_ name: ObjectName) throws(TransportError) {
        let isDeleted = try perform(.delete(name)) { (objects, _) in objects.delete(name) }
        if isDeleted { watchers.tell() }
    }

    /// Tells of each object that is stored or deleted; several may be told of as one. Ends with this object.
    public func watch() -> AsyncStream<Void>? { watchers.stream() }
}
