import EventLog
import Events

extension History {
    /// What must be so when everybody has met everybody.
    func check() throws {
        for device in devices {
            try device.checkPromises()
            try checkRebuilding(device)
            try checkErasures(device)
        }
        try checkSame()
        try ForkedHistories(devices, truth).check()
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

    /// No value that is to be erased is anywhere.
    private func checkErasures(_ device: Device<Log>) throws {
        let erased = try device.log.erased()
        guard !erased.isEmpty else { return }
        try device.log.forEach(from: 1) { _, frame, _ in
            // Values may come withheld from somebody whose word for that lies aside here.
            guard frame.isWithheld == erased.contains(frame.id) || frame.isWithheld && !truth.mayFork.isEmpty else {
                throw BrokenPromise("Device \(device.number) has values of \(frame.id.short), or lacks them.")
            }
        }
        for frame in try device.log.keptFrames() + device.log.forkedFrames() {
            guard frame.withholding(erased) == frame else {
                throw BrokenPromise("Device \(device.number) keeps erased values in \(frame.range).")
            }
        }
    }

    /// Everybody has the same, and shows the same.
    private func checkSame() throws {
        let first = devices[0]
        for device in devices {
            for entry in try first.log.vector().entries where !truth.mayFork.contains(entry.replica) {
                let roots = try [first, device].map { try $0.log.root(of: entry.replica, through: entry.sequence) }
                guard roots[0] == roots[1] else {
                    throw BrokenPromise(
                        "Devices \(first.number) and \(device.number) differ in the events of \(entry.replica.short).")
                }
            }
            guard try content(of: device) == content(of: first) else {
                throw BrokenPromise("Devices \(first.number) and \(device.number) have other events.")
            }
            try checkNothingCouldEnter(device)
            guard try shown(by: device) == shown(by: first) else {
                throw BrokenPromise("Devices \(first.number) and \(device.number) show something else.")
            }
        }
    }

    /// What a device shows; where replicas have two histories, what it would show without those.
    private func shown(by device: Device<Log>) throws -> Hash256? {
        if truth.mayFork.isEmpty { return device.view.digest() }
        // The word that values are to be erased may itself stand in a history that lies aside.
        let erased = try devices.map { try $0.log.erased() }
        guard erased.allSatisfy({ $0 == erased[0] }) else { return nil }
        var view = View(leavingOut: truth.mayFork)
        try view.catchUp(with: device.log)
        return view.digest()
    }

    /// The events on a disk of replicas that cannot have two histories: those in the log by number, and the leaves of
    /// those that wait.
    private func content(of device: Device<Log>) throws -> Content {
        var content = Content()
        for entry in try device.log.vector().entries where !truth.mayFork.contains(entry.replica) {
            content.vector[entry.replica] = entry.sequence
        }
        for frame in try device.log.keptFrames() where !truth.mayFork.contains(frame.range.replica) {
            let known = content.vector[frame.range.replica]
            for (sequence, leaf) in zip(frame.range.first..., frame.leaves) where sequence > known {
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
        let kept = try device.log.keptFrames()
        for replica in Set(kept.map(\.range.replica)).sorted() {
            let waiting = kept.filter { $0.range.replica == replica }
            var next = try device.log.vector()[replica] + 1
            var rests: [UInt64: Int] = [:]
            for frame in waiting {
                for sequence in frame.range.first...frame.range.last {
                    try frame.withEvent(sequence) { event, _ in rests[sequence] = event.rest }
                }
            }
            while let rest = rests[next] {
                guard rest > 0 || truth.mayFork.contains(replica) else {
                    throw BrokenPromise("Events of \(replica.short) up to \(next) wait, and could be in the log.")
                }
                next += 1
            }
        }
    }
}
