/// A remote: storage in which the stores of one log exchange objects, such as a folder, a bucket or memory.
///
/// It needs only the operations of simple storage: an object is written under an unused name, read, listed and deleted; and
/// one object of each store is replaced. Its answers are untrusted: contents are checked like any input from outside, a listing may be
/// outdated, and a missing object of another device may appear later. Objects of a sealed log arrive here sealed.
///
/// A conforming type guarantees:
/// - **Whole objects.** A reader gets an object completely or not at all, also after a writer was killed.
/// - **Nothing is replaced** by ``putIfAbsent(_:_:)``. Of several writers of one name, on any devices, exactly one gets
///   ``PutOutcome/stored``. If the storage cannot refuse the others by itself, it is no remote for a log.
/// - **Replaced at once.** While ``replace(_:_:)`` replaces an object, a reader gets all of the old one or all of the new
///   one; this device the new one as soon as it has returned.
/// - **What was stored is there.** An object of this device is found by its name at once, and on the other devices
///   sooner or later. The engine reads objects by their names, so a listing that is late delays it, and loses nothing.
/// - **Objects of up to 8 MiB**, under every ``ObjectName``, as many as there is room for.
/// - **Operations at once.** Any number of tasks may call it.
/// - **Cancellation.** When the task is cancelled, an operation ends soon, by throwing `unreachable` or with its result.
///
/// `TransportConformance` of the product `GroundwaveTesting` checks a type for these, one by one.
public protocol Transport: Sendable {
    /// Stores `bytes` under `name`, unless an object has that name.
    ///
    /// When it returns ``PutOutcome/stored``, the object is as durable as the remote guarantees, and complete: no
    /// reader ever sees part of it.
    ///
    /// - Throws: ``TransportError``; then the object is stored completely, or not at all. `tooLarge` if there are
    ///   more bytes than the remote accepts.
    func putIfAbsent(_ name: ObjectName, _ bytes: [UInt8]) async throws(TransportError) -> PutOutcome

    /// Stores `bytes` under `name`, in place of an object of that name, if there is one.
    ///
    /// Only the store that wrote an object replaces it, by one request at a time. As durable as ``putIfAbsent(_:_:)``.
    ///
    /// - Throws: ``TransportError``; then the name has the new object, or what it had before.
    func replace(_ name: ObjectName, _ bytes: [UInt8]) async throws(TransportError)

    /// Returns the bytes of an object, or some of them; `nil` if there is no object of that name.
    ///
    /// - Parameters:
    ///   - range: The bytes to read, clamped to the object; by default all.
    ///   - limit: The maximum number of bytes. If the object, or the range of it, has more, nothing is read.
    /// - Throws: ``TransportError``; `tooLarge` if there are more than `limit` bytes.
    func get(_ name: ObjectName, range: Range<Int>?, limit: Int) async throws(TransportError) -> [UInt8]?

    /// Returns the names of objects below `prefix`, in byte order.
    ///
    /// A listing may miss recently stored objects. Never conclude from it that an object is gone.
    ///
    /// - Parameters:
    ///   - startAfter: Only names after this one.
    ///   - limit: The maximum number of names; the caller continues after the last one.
    /// - Throws: ``TransportError``.
    func list(
        prefix: ObjectPrefix, startAfter: ObjectName?, limit: Int
    ) async throws(TransportError) -> [ObjectName]

    /// Returns the names of the folders directly below `prefix`, in byte order. At most `limit`.
    ///
    /// May or may not include a folder whose objects have all been deleted.
    ///
    /// - Throws: ``TransportError``.
    func folders(prefix: ObjectPrefix, limit: Int) async throws(TransportError) -> [String]

    /// Deletes an object; does nothing if it does not exist.
    ///
    /// - Throws: ``TransportError``; then the object is there, or it is gone.
    func delete(_ name: ObjectName) async throws(TransportError)

    /// Returns a stream of hints that something may have changed, or `nil` if the remote cannot be watched, which is
    /// the default. Hints may be superfluous or lost. The stream ends when the remote can no longer be watched.
    func watch() -> AsyncStream<Void>?

    /// How many requests are worth making at once: 1, which is the default, where an answer comes at once, such as from a
    /// folder; more where it comes from afar. Up to 8 MiB of each are in memory.
    var requestsAtOnce: Int { get }
}

extension Transport {
    /// One: the answers come at once.
    public var requestsAtOnce: Int { 1 }

    /// Returns `nil`: the remote cannot be watched. It is then looked at after each write, and every half minute.
    public func watch() -> AsyncStream<Void>? { nil }
}

/// A remote whose objects lie sealed in another storage.
package protocol OtherForm: Transport { var storage: any Transport { get } }

/// The result of storing an object.
public enum PutOutcome: Hashable, Sendable {
    /// The object was stored.
    case stored
    /// An object of that name exists already and is unchanged.
    case exists
}

/// Why an operation of a transport failed. The texts are for people, and may end with a full stop.
public enum TransportError: Error, Hashable, Sendable {
    /// The remote cannot be reached now; a later attempt may succeed.
    case unreachable(String)
    /// The remote has no space left.
    case full(String)
    /// The remote denies permission.
    case notPermitted(String)
    /// What is there is sealed, and this device has not the key for it, or none with which it may seal anything.
    case noKey(String)
    /// There is no such storage at this address, or it lies elsewhere; a later attempt fails in the same way.
    case notThere(String)
    /// An object is larger than the caller or the remote accepts.
    case tooLarge(ObjectName, byteCount: Int)
    /// The name is taken by something that no store has put there: a symbolic link, a device, a folder.
    case refused(ObjectName, String)
}
