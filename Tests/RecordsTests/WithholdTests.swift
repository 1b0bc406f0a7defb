import GroundwaveEvents
import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveRecords

/// Values that are taken out of a state in place, as out of the base of a log whose history was archived.
@Suite struct `Withholding in place` {
    /// A history in any order, folded with and without the values of some events; those of the first are then taken out.
    private static func states(seed: UInt64) throws -> [(inPlace: RecordState, folded: RecordState)] {
        let order = try History(seed: seed).anyOrder(seed: seed)
        var generator = SeededGenerator(seed: seed)
        let erased = Set(order.map(\.id).filter { _ in generator.chance(0.4) })
        let whole = try FoldedStore(folding: order)
        let folded = try FoldedStore(folding: try order.map { erased.contains($0.id) ? try $0.withheld() : $0 })
        #expect(whole.names.replicas == folded.names.replicas && whole.states.count == folded.states.count)
        return try whole.states.map { id, state in
            var state = state
            state.withhold { erased.contains(EventID(whole.names.replicas[Int($0)], $1)) }
            return (state, try #require(folded.states[id]))
        }
    }

    @Test(arguments: UInt64(0)..<200)
    func `gives the state that the withheld events fold to, and the same words of sources`(seed: UInt64) throws {
        for var (inPlace, folded) in try Self.states(seed: seed) {
            // Of an element that two events said one is remembered: it may be one whose value goes, and never more.
            #expect(inPlace.knownElements.isSubset(of: folded.knownElements))
            inPlace.assertions.removeAll(where: \.isElement)
            folded.assertions.removeAll(where: \.isElement)
            #expect(
                inPlace.assertions.count == folded.assertions.count && Set(inPlace.assertions) == Set(folded.assertions)
            )
            #expect(inPlace.row == folded.row)
        }
    }

    @Test func `leaves the word of a source that a field is empty`() throws {
        var scene = Scene()
        let source = SourceID(name: "LoTW")
        let cleared = scene.write("a", at: 1, source: source, .clear(Scene.frequency))
        scene.write("b", at: 2, .set(Scene.frequency, "14.074", over: cleared))
        let whole = try FoldedStore(folding: scene.events)
        var state = try #require(whole.states[scene.record])
        state.withhold { _, _ in true }
        let field = try #require(whole.names.knownOrdinal(of: Scene.frequency))
        #expect(state.asserts([], of: field, by: 1) == true)
    }
}

extension RecordState {
    /// The elements that a source is known to have said.
    fileprivate var knownElements: Set<[UInt64]> {
        Set(
            assertions.filter { $0.isElement && $0.valueHash != 0 }.map {
                [UInt64($0.field), UInt64($0.source), $0.valueHash]
            })
    }
}
