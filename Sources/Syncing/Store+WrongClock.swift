import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore

/// What it means that the clock of a replica was wrong: which events, and when they count as written.
public struct WrongClockReport: Hashable, Sendable {
    /// The first wrong time that its clock showed: milliseconds since 1970.
    public let from: Int64
    /// When all that was written at the latest: milliseconds since 1970.
    public let writtenBy: Int64
    /// The number of events here with that stamp or a later one.
    public let events: UInt64
}

extension Store {
    /// Declares, on all devices, that the clock of another replica was ahead: whatever it stamped with `from` or later counts
    /// as written at `writtenBy` at the latest, wherever a stamp chooses. The events stay as they are.
    ///
    /// A device whose own clock was wrong declares that itself, once it is right again: this is for one that is gone.
    ///
    /// - Parameters:
    ///   - from: The first wrong time, in milliseconds since 1970; `nil` for the first stamp that is a day or more ahead of
    ///     this device's clock.
    ///   - writtenBy: Milliseconds since 1970; `nil` for now.
    /// - Returns: What it means; with a batch, unless just that is declared already.
    /// - Throws: ``StoreError`` with code `usage` if it is this device, or if nothing would count as earlier; `notFound` if
    ///   there is no such replica. Then nothing was written.
    /// - Complexity: A few look-ups, and at most one commit. Then every device folds anew the records with such events.
    @discardableResult
    public func declareWrongClock(
        of replica: ReplicaID, from: Int64? = nil, writtenBy: Int64? = nil, note: String = "", author: String? = nil
    ) async throws -> Written<WrongClockReport> {
        let (origin, report) = try wrongClock(of: replica, from: from, writtenBy: writtenBy)
        let declaration = ClockDeclaration(from: report.from, ceiling: report.writtenBy)
        return try await write(note: note, author: author) { batch in
            let record = try batch.record(ReplicaKind.name, RecordID(high: origin.high, low: origin.low))
            let known = record?[.number(ClockDeclaration.field)]?.heads.compactMap(\.value) ?? []
            if !known.contains([UInt8](declaration.text.utf8)) { try batch.declare(declaration, of: origin) }
            return report
        }
    }

    /// Returns what ``declareWrongClock(of:from:writtenBy:note:author:)`` would declare, and writes nothing.
    ///
    /// - Throws: As that.
    public func previewWrongClock(
        of replica: ReplicaID, from: Int64? = nil, writtenBy: Int64? = nil
    ) throws -> WrongClockReport {
        try wrongClock(of: replica, from: from, writtenBy: writtenBy).report
    }

    /// Takes back, on all devices, every declaration that the clock of a replica was wrong, by whomever: its stamps count
    /// again.
    ///
    /// - Returns: Whether there was any.
    /// - Throws: ``StoreError`` with code `notFound` if there is no such replica.
    /// - Complexity: As ``declareWrongClock(of:from:writtenBy:note:author:)``.
    @discardableResult
    public func withdrawWrongClock(
        of replica: ReplicaID, note: String = "", author: String? = nil
    ) async throws -> Written<Bool> {
        let origin = try describing { try log.streams().origin(of: replica) }
        return try await write(note: note, author: author) { batch in
            let id = RecordID(high: origin.high, low: origin.low)
            guard let record = try batch.record(ReplicaKind.name, id) else { throw Self.noDevice(replica) }
            guard record[.number(ClockDeclaration.field)] != nil else { return false }
            return try batch.set(ReplicaKind.name, id, [Assignment("CLOCK", text: "")])
        }
    }

    private func wrongClock(
        of replica: ReplicaID, from: Int64?, writtenBy: Int64?
    ) throws -> (origin: ReplicaID, report: WrongClockReport) {
        try describing {
            let streams = try log.streams()
            let (origin, now) = (streams.origin(of: replica), surroundings.now().wallMilliseconds)
            guard origin != self.replica.map(streams.origin(of:)) else {
                throw StoreError(
                    .usage, "\(replica.short) is this device.",
                    hint: "Set its clock right: its next write or sync declares by itself what was stamped wrongly.")
            }
            let all = [origin] + streams.branches.keys.filter { streams.origin(of: $0) == origin }
            guard try all.contains(where: { try log.lastStamp(of: $0) != nil }) else { throw Self.noDevice(replica) }
            let far = Stamp(milliseconds: from ?? min(now, .max - 86_400_000) + 86_400_000)
            let ranges = try log.events(stampedFrom: Dictionary(uniqueKeysWithValues: all.map { ($0, far) }))
            let stamps = try ranges.compactMap { try log.stamp(of: EventID($0.replica, $0.first))?.milliseconds }
            guard let first = stamps.min() else {
                throw StoreError(
                    .usage,
                    from == nil
                        ? "\(replica.short) has stamped nothing a day or more ahead of this device's clock."
                        : "\(replica.short) has stamped nothing with that time or a later one.",
                    hint: "To see what it wrote: \(.list(.events))")
            }
            let report = WrongClockReport(
                from: from ?? first, writtenBy: writtenBy ?? now, events: ranges.reduce(0) { $0 + $1.count })
            let before = try ranges.compactMap { range in
                try range.first > 1 ? log.stamp(of: EventID(range.replica, range.first - 1))?.milliseconds : nil
            }
            try Self.check(report, now: now, lastRight: before.max() ?? 0)
            return (origin, report)
        }
    }

    private static func check(_ report: WrongClockReport, now: Int64, lastRight: Int64) throws {
        func refuse(_ message: String) throws { throw StoreError(.usage, message, hint: "Nothing was written.") }
        if report.writtenBy > now { try refuse("It cannot have been written after now.") }
        if report.writtenBy < lastRight {
            try refuse(
                "The device has written at \(UTCText.seconds(lastRight / 1000)), before its clock was wrong: what followed "
                    + "cannot have been written earlier.")
        }
        if report.writtenBy >= report.from {
            try refuse(
                "Nothing would count as earlier: the clock was ahead only if its time came after it was written.")
        }
    }

    private static func noDevice(_ replica: ReplicaID) -> StoreError {
        StoreError(.notFound, "There is no device \(replica.short).", hint: "To see them: \(.list(.devices))")
    }
}
