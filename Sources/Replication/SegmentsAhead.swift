import GroundwaveEvents

/// Segments of one store that were asked for before they are needed, several at a time.
///
/// A new device may read thousands of them, and each answer of a distant server takes a while. A pass that finds one new
/// segment makes no further request.
struct SegmentsAhead {
    /// The answers that have not been taken yet, by the numbers of the segments.
    private var answers: [UInt64: Result<[UInt8]?, TransportError>] = [:]
    /// How many segments were found one after another.
    private var foundCount = 0

    /// From how many segments on, found one after another, more are asked for ahead.
    private static let patience = 2

    /// Whether the answer for a segment is here.
    func contains(_ number: UInt64) -> Bool { answers[number] != nil }

    /// How many segments are worth asking for now.
    func count(atOnce limit: Int) -> Int { foundCount < Self.patience ? 1 : max(1, limit) }

    /// Asks for `count` segments of `store`, from `number` on, at once.
    mutating func ask(_ count: Int, from number: UInt64, of store: ReplicaID, at transport: any Transport) async {
        guard count > 1 else {
            answers = [number: await Self.answer(for: number, of: store, at: transport)]
            return
        }
        answers = await withTaskGroup { group in
            for number in number..<number + UInt64(count) {
                group.addTask { (number, await Self.answer(for: number, of: store, at: transport)) }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    private static func answer(
        for number: UInt64, of store: ReplicaID, at transport: any Transport
    ) async -> Result<[UInt8]?, TransportError> {
        let name = RemoteLayout.segment(number, of: store)
        do throws(TransportError) {
            return .success(try await transport.get(name, range: nil, limit: Segment.byteLimit))
        } catch { return .failure(error) }
    }

    /// Takes the answer for a segment that was asked for.
    mutating func take(_ number: UInt64) throws(TransportError) -> [UInt8]? {
        guard let answer = answers.removeValue(forKey: number) else { return nil }
        let bytes = try answer.get()
        foundCount = bytes == nil ? 0 : foundCount + 1
        return bytes
    }
}
