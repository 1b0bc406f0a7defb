import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveMDBPages

/// Checks the events one after another in order of position, and keeps the state that later checks need.
struct EventCheck: RowVisitor {
    var damage = DamageList()
    private(set) var loss = Loss()
    var replicas: [ReplicaCheck] = []
    /// Rows of the log that no event has confirmed yet.
    private(set) var rows: LogRows
    private(set) var unconfirmedRuns: [ReplicaNumberKey: Position] = [:]
    /// Whether an event has the stamp of the log's clock.
    private(set) var sawClock: Bool
    /// The lost events that have placeholders.
    private(set) var places = EventSet()
    /// The number of undamaged events.
    private(set) var count: UInt64 = 0
    /// The next expected position.
    private(set) var next: Position = 1

    private let clock: Stamp
    private let archived: VersionVector
    private var indices: [ReplicaID: Int] = [:]
    private var lastIndex = 0
    /// The checksum of the frame at the previous position; `nil` if that frame is lost.
    private(set) var lastChecksum: UInt32? = 0
    /// The page damage since the last row: the reason for missing positions.
    private var pageDamage: PageDamage?
    /// The number of damaged pages.
    private(set) var pageDamageCount = 0
    private var hasher = MerkleHasher()

    init(_ rows: LogRows) {
        self.rows = rows
        unconfirmedRuns.reserveCapacity(rows.runs.count)
        for run in rows.runs { unconfirmedRuns[ReplicaNumberKey(run.replica, run.first)] = run.position }
        clock = rows.state?.clock ?? Stamp(rawValue: 0)
        archived = rows.archived
        // A cleared log keeps the clock of its former events.
        let cleared = rows.metaRow("cleared", count: 8).map { $0.withSpan { $0.uint64(at: 0) } }
        sawClock = clock.rawValue == 0 || clock.rawValue == cleared
    }

    mutating func damage(_ damage: PageDamage) {
        pageDamage = damage
        pageDamageCount += 1
        self.damage.append(LogDamage(.page, "in the table of events: \(damage)"))
    }

    mutating func row(key: RawSpan, value: RawSpan) {
        guard key.byteCount == 8 else {
            damage.append(LogDamage(.page, "in the table of events: a key has \(key.byteCount) bytes"))
            return
        }
        let event: Result<CheckedEvent, FrameError>
        do throws(FrameError) {
            event = .success(try CheckedEvent(value, &hasher))
        } catch {
            event = .failure(error)
        }
        row(key.bigEndianUInt64(at: 0), event)
    }

    /// Processes the row of `position`, whose bytes were checked already.
    mutating func row(_ position: Position, _ event: Result<CheckedEvent, FrameError>) {
        guard position >= next, position < .max else {
            damage.append(
                LogDamage(.position, position: position, "position \(position) comes after position \(next - 1)"))
            return
        }
        if position > next { miss(through: position - 1) }
        pageDamage = nil
        next = position + 1
        switch event {
        case .success(let event): verify(event, at: position)
        case .failure(let error):
            lastChecksum = nil
            loss.add(position...position, .frame, "the bytes of the event are damaged: \(Self.words(for: error))")
        }
    }

    private static func words(for error: FrameError) -> String {
        switch error {
        case .notAFrame: "they do not start like an event"
        case .truncated, .malformed: "its lengths do not add up"
        case .checksumMismatch: "their checksum is wrong"
        }
    }

    /// Records that the positions up to `position` are missing.
    mutating func miss(through position: Position) {
        guard position >= next else { return }
        lastChecksum = nil
        if let pageDamage {
            loss.add(next...position, .page, "lost with a page: \(pageDamage)")
        } else {
            loss.add(next...position, .position, "there is nothing at the position")
        }
        next = position + 1
    }

    /// Returns the root over all events of `replica`; `nil` if some are lost.
    mutating func root(of replica: ReplicaCheck) -> Hash256? { replica.tree.root(&hasher) }

    private mutating func verify(_ event: CheckedEvent, at position: Position) {
        let isChained = lastChecksum.map { $0 == event.previousChecksum }
        let index = index(of: event.id.replica)
        guard isPlausible(event.id, replicas[index], isChained: isChained) else {
            lastChecksum = nil
            loss.add(position...position, .sequence, "there is an event that belongs elsewhere (\(event.id))")
            return
        }
        if isChained == false {
            damage.append(
                LogDamage(
                    .chain, event.id.replica, first: event.id.sequence, position: position,
                    "the event does not follow the one at position \(position - 1)"))
        }
        lastChecksum = event.checksum
        let before = replicas[index].last
        let event = present(event, at: position)
        if event.isLost {
            places.insert(event.id)
            replicas[index].verifyPlaceholder(of: event, at: position)
            checkRun(event.id, at: position, after: before)
            return
        }
        replicas[index].verify(event, at: position, &damage)
        count += 1
        if event.stamp == clock { sawClock = true }
        checkRun(event.id, at: position, after: before)
        if !event.isObservationSound {
            damage.append(
                LogDamage(
                    .frame, event.id.replica, first: event.id.sequence, position: position,
                    "the event claims to have seen events that its author cannot have seen"))
        }
        if let contradiction = withholding(of: event) {
            damage.append(
                LogDamage(
                    .withheld, event.id.replica, first: event.id.sequence, position: position, contradiction))
        }
        for found in replicas[index].tree.append(event.leaf, event.id.sequence, &hasher, &rows.nodes) {
            damage.append(found)
        }
    }

    /// Returns the valid event at `position`: `event`, which is stored there, or the late event that replaces it.
    private mutating func present(_ event: CheckedEvent, at position: Position) -> CheckedEvent {
        let number = rows.filled.isEmpty ? nil : rows.filled.removeValue(forKey: position)
        let late = rows.late.isEmpty ? nil : rows.late.removeValue(forKey: position)
        if number == nil, late == nil { return event }
        guard let late, late.number == number, late.event.fills(event) else {
            damage.append(
                LogDamage(
                    .late, event.id.replica, first: event.id.sequence, position: position,
                    "the late event recorded there is a different one, or cannot be found"))
            return event
        }
        return late.event
    }

    /// Describes a contradiction between an event and the rows about withheld values; `nil` if there is none.
    private func withholding(of event: CheckedEvent) -> String? {
        if event.isWithheld {
            return rows.erased.contains(event.id) || rows.missingValues.contains(event.id)
                || archived.contains(event.id)
                ? nil : "the event has no values, and no reason for that is recorded"
        }
        if rows.erased.contains(event.id) { return "the event was erased, and its values are still there" }
        return rows.missingValues.contains(event.id) ? "the event is recorded as missing its values, but has them" : nil
    }

    /// Whether a valid frame belongs at this place of the log: stale copies and frames of other places are valid too.
    ///
    /// The next number of the replica is accepted. A higher one is accepted if the chain confirms it, or, if the chain
    /// is broken, if enough positions are lost in between.
    private func isPlausible(_ event: EventID, _ replica: ReplicaCheck, isChained: Bool?) -> Bool {
        guard event.sequence >= replica.expected else { return false }
        let skipped = event.sequence - replica.expected
        if skipped == 0 { return true }
        return isChained ?? (skipped <= loss.count(from: (replica.last?.position ?? 0) + 1))
    }

    mutating func index(of replica: ReplicaID) -> Int {
        if lastIndex < replicas.count, replicas[lastIndex].replica == replica { return lastIndex }
        if let index = indices[replica] {
            lastIndex = index
        } else {
            lastIndex = replicas.count
            indices[replica] = lastIndex
            replicas.append(ReplicaCheck(replica, tree: rows.trees[replica]))
        }
        return lastIndex
    }

    /// Checks the row of the run: a run starts unless the replica's previous event is at the previous position.
    private mutating func checkRun(_ event: EventID, at position: Position, after before: HeadRow?) {
        let key = ReplicaNumberKey(event.replica, event.sequence)
        let run = unconfirmedRuns.isEmpty ? nil : unconfirmedRuns.removeValue(forKey: key)
        if let run, run != position {
            damage.append(
                LogDamage(
                    .run, event.replica, first: event.sequence, position: position,
                    "the row of the run has position \(run), but the event is at \(position)"))
        }
        let follows = before.map { $0.sequence + 1 == event.sequence } ?? (event.sequence == 1)
        if run == nil, follows, before.map({ $0.position + 1 != position }) ?? true {
            damage.append(
                LogDamage(
                    .run, event.replica, first: event.sequence, position: position, "the row of the run is missing"))
        }
    }
}
