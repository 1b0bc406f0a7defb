import GroundwaveEvents

/// Objects that were asked for before they are needed, several at a time: each answer of a distant server takes a while.
struct ObjectsAhead {
    /// The answers that have not been taken yet.
    private var answers: [ObjectName: Result<[UInt8]?, TransportError>] = [:]

    /// Whether the answer for an object is here.
    func contains(_ name: ObjectName) -> Bool { answers[name] != nil }

    /// Asks for `names` at once. Forgets answers that were not taken.
    mutating func ask(_ names: [ObjectName], limit: Int, at transport: any Transport) async {
        guard names.count > 1 else {
            answers = [:]
            if let name = names.first { answers[name] = await Self.answer(for: name, limit, at: transport) }
            return
        }
        answers = await withTaskGroup { group in
            for name in names { group.addTask { (name, await Self.answer(for: name, limit, at: transport)) } }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    private static func answer(
        for name: ObjectName, _ limit: Int, at transport: any Transport
    ) async -> Result<[UInt8]?, TransportError> {
        do throws(TransportError) {
            return .success(try await transport.get(name, range: nil, limit: limit))
        } catch { return .failure(error) }
    }

    /// Takes the answer for an object that was asked for.
    mutating func take(_ name: ObjectName) throws(TransportError) -> [UInt8]? {
        try answers.removeValue(forKey: name)?.get()
    }
}
