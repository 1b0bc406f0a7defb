import GroundwaveReplication
import Testing

@Suite struct `A value that a task waits for` {
    @Test func `is the first that is provided, before or after somebody waits`() async {
        let early = Awaited<Int>()
        early.provide(1)
        early.provide(2)
        #expect(await early.value() == 1)
        let late = Awaited<Int>()
        async let value = late.value()
        late.provide(3)
        #expect(await value == 3)
    }

    @Test func `is nothing once the task is cancelled, although nobody provides it`() async {
        let awaited = Awaited<Int>()
        let task = Task { await awaited.value() }
        task.cancel()
        #expect(await task.value == nil)
        // Who comes too late does no harm.
        awaited.provide(1)
    }

    @Test func `is given or not, but the task always goes on`() async {
        for _ in 0..<1_000 {
            let awaited = Awaited<Int>()
            let task = Task { await awaited.value() }
            async let provided: Void = awaited.provide(7)
            task.cancel()
            await provided
            let value = await task.value
            #expect(value == nil || value == 7)
        }
    }
}
