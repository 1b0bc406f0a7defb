import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat

extension History {
    /// What must be so when everybody has met everybody.
    func check() throws {
        for device in devices {
            try device.checkPromises()
            try checkRebuilding(device)
            try checkErasures(device)
        }
        try checkSame()
        try Oracle(log: devices[0].log).check(devices[0].view)
    }

    /// A view that is folded again from the beginning shows what the live one shows.
    private func checkRebuilding(_ device: Device<Log>) throws {
        var rebuilt = View()
        try rebuilt.catchUp(with: device.log)
        guard rebuilt.digest() == device.view.digest() else {
            throw BrokenPromise("Device \(device.number) shows something else when its view is built anew.")
        }
    }

    /// No value that is to be erased is anywhere, and all others are, unless who erased them has lost that again.
    private func checkErasures(_ device: Device<Log>) throws {
        let erased = try device.log.erased()
        let (lacking, lackingFirst) = (try device.log.missingValues(), try devices[0].log.missingValues())
        guard lacking == lackingFirst else {
            throw BrokenPromise(
                "Devices 0 and \(device.number) lack other values: \(lackingFirst.ranges), \(lacking.ranges).")
        }
        guard !erased.isEmpty else { return }
        try device.log.forEach(from: 1) { _, frame, _ in
            guard frame.isWithheld == (erased.contains(frame.id) || lacking.contains(frame.id)) else {
                throw BrokenPromise("Device \(device.number) has values of \(frame.id.short), or lacks them.")
            }
        }
        var leaves: [EventID: Hash256] = [:]
        var hasher = MerkleHasher()
        try device.log.forEach(from: 1) { _, frame, bytes in leaves[frame.id] = hasher.leaf(of: frame, in: bytes) }
        let streams = try device.log.streams()
        for frame in try device.log.retainedFrames() {
            // Of an event that is not here it is not known which history it is of, where there are several.
            guard frame.withholding(erased, streams, leaf: { leaves[$0] }) == frame else {
                throw BrokenPromise("Device \(device.number) keeps erased values in \(frame.range).")
            }
        }
    }

    /// Everybody has the same, and shows the same.
    private func checkSame() throws {
        let first = devices[0]
        for device in devices {
            for entry in try first.log.vector().entries {
                let roots = try [first, device].map { try $0.log.root(of: entry.replica, through: entry.sequence) }
                guard roots[0] == roots[1] else {
                    throw BrokenPromise(
                        "Devices \(first.number) and \(device.number) differ in the events of \(entry.replica.short).")
                }
            }
            guard try content(of: device) == content(of: first) else {
                throw BrokenPromise("They have other events: \(first.summary); \(device.summary)")
            }
            try checkNothingCouldEnter(device)
            guard device.view.digest() == first.view.digest() else {
                throw BrokenPromise("Devices \(first.number) and \(device.number) show something else.")
            }
        }
    }

    /// The events on a disk: those in the log by number, and the leaves of those that wait.
    private func content(of device: Device<Log>) throws -> Content {
        var content = Content()
        for entry in try device.log.vector().entries {
            content.vector[entry.replica] = entry.sequence
        }
        for frame in try device.log.retainedFrames() {
            let present = Set(try device.log.leaves())
            for leaf in frame.leaves where !present.contains(leaf) {
                content.waiting.insert(leaf)
            }
        }
        return content
    }

    private struct Content: Equatable {
        var vector = VersionVector()
        var waiting: Set<Hash256> = []
    }

    /// Nothing waits that could be in the log.
    private func checkNothingCouldEnter(_ device: Device<Log>) throws {
        let kept = try device.log.retainedFrames()
        for replica in Set(kept.map(\.range.replica)).sorted() {
            var hasher = MerkleHasher()
            // What lies beside the history that is here goes on from one that nobody has any more.
            let waiting = try kept.filter { frame in
                guard frame.range.replica == replica else { return false }
                let before = try device.log.root(of: replica, through: frame.range.first - 1)
                return before == nil || frame.range.first == 1 || before == frame.edge.root(hasher: &hasher)
            }
            // Of several histories it is not known which one a range goes on from.
            guard try !device.log.streams().isForked(replica) else { continue }
            var next = try device.log.vector()[replica] + 1
            var rests: [UInt64: Int] = [:]
            for frame in waiting {
                for sequence in frame.range.first...frame.range.last {
                    try frame.withEvent(sequence) { event, _ in rests[sequence] = event.rest }
                }
            }
            while let rest = rests[next] {
                guard rest > 0 else {
                    throw BrokenPromise("Events of \(replica.short) up to \(next) wait, and could be in the log.")
                }
                next += 1
            }
        }
    }
}
