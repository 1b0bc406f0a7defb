import ByteCoding
import EventLog
import Events
import Testing

@Suite struct `Verifying a whole log` {
    @Test(arguments: [0, 1, 255, 256, 257, 5_000], [Sizes.small, .mixed])
    func `a log of any length is whole, and the report counts what the log has`(count: Int, sizes: Sizes) throws {
        let store = try TestLog()
        try store.append(count, sizes: sizes)
        let report = try LogVerifier.verify(path: store.path)
        #expect(report.damage == [])
        #expect(report.events == UInt64(count))
        #expect(report.replicas.map(\.events) == (count == 0 ? [] : [UInt64(count)]))
        #expect(report.replicas.first?.root == (try store.log.root(of: store.replica)))
        #expect(report.log == LogID(high: 1, low: 2))
        #expect(report.epoch == 3)
        #expect(report.ok)
        #expect(report.missing.isEmpty)
    }
}
