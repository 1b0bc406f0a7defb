/// The objects of a ``MemoryTransport``, with the order in which they were stored.
struct MemoryObjects: Sendable {
    private struct Object {
        var bytes: [UInt8]
        /// The number of the call of `put` that stored it.
        var number: Int
    }

    private var objects: [ObjectName: Object] = [:]
    private var putCount = 0
    /// All names, in the order of their UTF-8 bytes.
    private(set) var names: [ObjectName] = []
    /// The total size of the objects in bytes.
    private(set) var byteCount = 0

    func bytes(of name: ObjectName) -> [UInt8]? { objects[name]?.bytes }

    /// Stores an object unless its name exists. Throws `full` if the objects would exceed `roomBytes` together.
    mutating func put(_ name: ObjectName, _ bytes: [UInt8], roomBytes: Int?) throws(TransportError) -> PutOutcome {
        putCount += 1
        if objects[name] != nil { return .exists }
        if let roomBytes, byteCount + bytes.count > roomBytes {
            throw .full("The remote in memory has no room for the \(bytes.count) bytes of \(name).")
        }
        objects[name] = Object(bytes: bytes, number: putCount)
        names.insert(name, at: index(of: name.description))
        byteCount += bytes.count
        return .stored
    }

    /// Stores an object in place of any of its name. Throws `full` if the objects would exceed `roomBytes` together.
    mutating func replace(_ name: ObjectName, _ bytes: [UInt8], roomBytes: Int?) throws(TransportError) {
        let before = objects[name]
        if let roomBytes, byteCount - (before?.bytes.count ?? 0) + bytes.count > roomBytes {
            throw .full("The remote in memory has no room for the \(bytes.count) bytes of \(name).")
        }
        guard let before else {
            _ = try put(name, bytes, roomBytes: roomBytes)
            return
        }
        byteCount += bytes.count - before.bytes.count
        objects[name]?.bytes = bytes
    }

    /// Deletes an object. Returns whether it existed.
    mutating func delete(_ name: ObjectName) -> Bool {
        guard let object = objects.removeValue(forKey: name) else { return false }
        names.remove(at: index(of: name.description))
        byteCount -= object.bytes.count
        return true
    }

    /// Deletes all objects. The count of `put` calls continues.
    mutating func removeAll() {
        objects = [:]
        names = []
        byteCount = 0
    }

    /// Returns the names that a listing shows: those with `prefix` that follow `name`, in order, except hidden ones.
    func names(
        below prefix: ObjectPrefix, hiding faults: MemoryTransport.Faults, after name: ObjectName? = nil
    ) -> some Sequence<ObjectName> {
        var start = index(of: prefix.description)
        if let name { start = max(start, index(of: name.description, orBehind: true)) }
        let firstHidden = firstHidden(faults)
        return names[start...].lazy.prefix { prefix.contains($0) }.filter { objects[$0]!.number < firstHidden }
    }

    /// Returns the names of the folders directly below `prefix` that a listing shows, in order.
    func folders(below prefix: ObjectPrefix, hiding faults: MemoryTransport.Faults) -> [String] {
        var folders: Set<String> = []
        for name in names(below: prefix, hiding: faults) {
            let rest = name.description.utf8.dropFirst(prefix.description.utf8.count)
            if let slash = rest.firstIndex(of: UInt8(ascii: "/")) { folders.insert(String(rest[..<slash])!) }
        }
        return folders.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Returns the number of the first `put` call that listings do not show: they show only objects of earlier calls.
    private func firstHidden(_ faults: MemoryTransport.Faults) -> Int {
        let first = putCount + 1 - max(faults.listingsLackPuts, 0)
        guard faults.listingsLackObjects > 0 else { return first }
        let newest = objects.values.map(\.number).sorted().suffix(faults.listingsLackObjects)
        return min(first, newest.first ?? first)
    }

    /// Returns the index of the first name that is not less than `text`, or with `isBehind` is greater than `text`.
    private func index(of text: String, orBehind isBehind: Bool = false) -> Int {
        var range = 0..<names.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            let name = names[middle].description.utf8
            let isBefore =
                isBehind
                ? !text.utf8.lexicographicallyPrecedes(name) : name.lexicographicallyPrecedes(text.utf8)
            range = isBefore ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}
