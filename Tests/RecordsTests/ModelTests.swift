import GroundwaveRecords
import Testing

@Suite struct `The fold and the model` {
    /// Each batch is one process of the model; its histories have records of their own.
    static let historiesPerBatch: UInt64 = 50

    @Test(
        .enabled(if: Oracle.absence == nil, Comment(rawValue: Oracle.absence ?? "the model is there")),
        arguments: UInt64(0)..<44)
    func `say the same of every record, whatever the order in which each got the events`(batch: UInt64) throws {
        var lines = ""
        var folded: [String: Oracle.State] = [:]
        for seed in (batch * Self.historiesPerBatch)..<((batch + 1) * Self.historiesPerBatch) {
            let history = try History(seed: seed)
            let translation = Translation(history, name: "\(seed)")
            lines += translation.lines(in: seed % 2 == 0 ? history.events : history.anyOrder(seed: seed))
            let order = seed % 3 == 0 ? history.causalOrder(seed: seed) : history.anyOrder(seed: seed + 1)
            let store = try FoldedStore(folding: order, schema: History.schema, savesEachStep: seed % 5 == 0)
            for state in translation.states(of: store) { folded[state.record] = state }
        }
        let expected = try Oracle.fold(lines)
        #expect(expected.count == folded.count)
        for state in expected { #expect(folded[state.record] == state) }
    }
}
