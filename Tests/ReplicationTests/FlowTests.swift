import GroundwavePeering
import GroundwaveReplication
import Testing

@Suite struct `What a connection waits for` {
    private let start = SuspendingClock.now

    private func flow() -> Flow {
        var flow = Flow(limits: ConnectionLimits(), now: start)
        flow.began()
        flow.worked(heldBytes: 0, hasHello: false, isDone: false, now: start)
        return flow
    }

    @Test func `is a hello, for which there is no more time by saying it slowly`() {
        var flow = flow()
        #expect(flow.wait?.expectation == .hello && flow.wait?.until == start + .seconds(10))
        flow.arrived(1, now: start + .seconds(9))
        #expect(flow.wait?.expectation == .hello && flow.wait?.until == start + .seconds(10))
    }

    @Test func `is nothing while it works itself, or when both are done`() {
        var flow = flow()
        flow.began()
        #expect(flow.wait == nil && !flow.mayRead)
        flow.worked(heldBytes: 0, hasHello: true, isDone: true, now: start + .seconds(100))
        #expect(flow.wait == nil && flow.mayRead)
    }

    @Test func `is an answer, unless what it answers is still going out`() {
        var flow = flow()
        flow.worked(heldBytes: 0, hasHello: true, isDone: false, now: start)
        flow.queued(32 << 10, now: start)
        #expect(flow.wait?.expectation == .reading && flow.wait?.until == start + .seconds(60))
        flow.sent(16 << 10, now: start + .seconds(50))
        #expect(flow.wait?.until == start + .seconds(110))
        flow.sent(16 << 10, now: start + .seconds(60))
        #expect(flow.wait?.expectation == .answer && flow.wait?.until == start + .seconds(120))
    }

    @Test func `is that it reads, before more is read from it`() {
        var flow = flow()
        #expect(flow.room == 1 << 20)
        flow.queued(2 << 20, now: start)
        #expect(flow.room == 0 && flow.mayRead)
        flow.queued(4 << 20, now: start)
        #expect(!flow.mayRead && flow.bufferedBytes == 6 << 20 && flow.peakBytes == 6 << 20)
        flow.sent(1, now: start)
        #expect(flow.mayRead)
    }
}
