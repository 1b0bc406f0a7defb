import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveRecords
import GroundwaveReplication

/// One device with its store: a disk, what is in memory, a clock, and what it has promised.
///
/// To replication it is a log, so that whatever goes wrong in one goes wrong here.
final class Device<Log: SimulatedLog> {
    let number: Int
    let truth: Truth
    let signing: Signing

    // On the disk.
    var log: Log
    var identity: Identity
    /// The view as it was saved; `nil` where it has to be folded from the beginning.
    var savedView: SavedView?
    /// What it remembers of each place, as bytes.
    var notes: [[UInt8]]
    /// The leaves of all events that this disk has acknowledged: to whoever wrote them here or sent them.
    var promised: Set<Hash256> = []
    /// Whether this store must become a new replica before it writes again: the token outside it says that it is a copy
    /// or an older state, or ranges of its own replica came that it had not. That lies in the commit that took those.
    var mustRenew = false

    // In memory.
    var view = View()
    /// A state that somebody still looks at: an open form.
    var pinned: View?
    /// By which readings of names the view was folded.
    private var resolutionsCount: UInt64 = 0
    /// The greatest vector of this incarnation.
    var vector = VersionVector()

    // Around it.
    /// How wrong the clock is, in milliseconds.
    var clockError: Int64 = 0
    /// The latest time that the clock of any holder of this disk has shown.
    var latestTime: Int64 = 0
    /// Who can talk with whom: the devices of one group.
    var group = 0
    /// What goes wrong with the next commit.
    var mishap: Mishap?
    /// Whether ranges were taken since this was last set to `false`.
    var hasNews = false

    init(number: Int, log: Log, identity: Identity, places: Int, signing: Signing, truth: Truth) {
        self.number = number
        self.log = log
        self.identity = identity
        self.signing = signing
        self.truth = truth
        notes = [[UInt8]](repeating: [], count: places)
    }

    /// The time by the clock of this device.
    func arrival(at time: Int64) -> Arrival {
        latestTime = max(latestTime, time + clockError)
        return Arrival(milliseconds: time + clockError)
    }

    /// Appends a batch and says that it is there.
    func write(_ batch: DraftBatch, at time: Int64) throws {
        if mishap == .commitFailed {
            mishap = nil
            truth.met(.failedCommit)
            throw Mishap.commitFailed
        }
        let position = try log.lastPosition()
        let appended = try log.append(batch, as: identity.replica, arrival: arrival(at: time))
        try check(appended)
        try promise(from: position + 1)
        try catchUp()
        truth.note(UInt64(number), appended.first.sequence, appended.stamp.rawValue)
        truth.tell("device \(number) writes \(appended.count) events from \(appended.first.short) on")
        if mishap == .powerWent {
            mishap = nil
            truth.met(.crashBehindCommit)
            try crash()
        }
    }

    private func promise(from position: Position) throws {
        var hasher = MerkleHasher()
        try log.forEach(from: position) { _, frame, bytes in promised.insert(hasher.leaf(of: frame, in: bytes)) }
    }

    private func check(_ appended: Appended) throws {
        // A clock takes over stamps of others that are a day ahead of its own time at most.
        let bound = latestTime + HybridClock.adoptionBoundMilliseconds + 1
        guard appended.stamp.milliseconds <= max(bound, 1) else {
            throw BrokenPromise("A stamp is \(appended.stamp.milliseconds - latestTime) ms ahead of every clock here.")
        }
    }

    /// Folds what has come, and takes out what is to be erased.
    func catchUp() throws {
        let count = try log.resolutionsCount()
        let hasForked = count != resolutionsCount
        if hasForked { (view, pinned, resolutionsCount) = (View(), nil, count) }
        try view.catchUp(with: log)
        let erased = try log.erased()
        var new = EventSet()
        for (event, events) in view.erasures.sorted(by: { $0.key < $1.key }) {
            let rest = events.subtracting(erased)
            if rest.isEmpty { continue }
            let meaning = try log.meaning(of: rest, namedBy: event)
            truth.tell(
                "device \(number) erases \(meaning.certain) for \(event.short), not yet \(meaning.open), of \(rest)")
            new.formUnion(meaning.certain)
        }
        let ofRecords = try eventsOfErasedRecords(but: erased)
        if !ofRecords.isEmpty { truth.met(.erasedRecord) }
        new.formUnion(ofRecords)
        if !new.isEmpty {
            savedView = nil
            pinned = nil
            try log.erase(new)
            try view.refold(new, from: log)
            truth.met(.erasure)
        }
        let now = try log.vector()
        // A replica that has parted has fewer events of its own; all in all there are not fewer.
        guard hasForked ? now.eventCount >= vector.eventCount : now.covers(vector) else {
            throw BrokenPromise("The vector of device \(number) went down.")
        }
        vector = now
    }

    /// The events of erased records that still have their values; an event that erases has none.
    private func eventsOfErasedRecords(but erased: EventSet) throws -> EventSet {
        var events = EventSet()
        for position in view.positionsOfErased {
            try log.withEvent(at: position) { frame, bytes in
                if erased.contains(frame.id) { return }
                let change = try Change(
                    shape: bytes.extracting(frame.shape), values: bytes.extracting(frame.values),
                    isWithheld: frame.isWithheld, by: frame.names(in: bytes))
                if change.operations.first?.code != .erase { events.insert(frame.id) }
            }
        }
        return events
    }

    /// Becomes a new replica, once nobody else can take its old events for unproven.
    func renew(as new: Identity) throws {
        for last in try log.ownHeads(of: identity) { try log.keep(last.head, of: last.stream) }
        truth.tell("device \(number) goes on as \(new.replica.short) instead of \(identity.replica.short)")
        identity = new
        mustRenew = false
    }

    /// The power goes and comes again.
    func crash() throws {
        truth.met(.crash)
        truth.tell("device \(number) crashes")
        let before = (position: try log.lastPosition(), digest: view.digest())
        try log.loseMemory()
        try start()
        guard try log.lastPosition() == before.position, view.digest() == before.digest else {
            throw BrokenPromise("Device \(number) shows something else after it was started again.")
        }
        try checkPromises()
    }

    /// Starts with what is on the disk.
    func start() throws {
        pinned = nil
        resolutionsCount = try log.resolutionsCount()
        view = try viewOnDisk() ?? View()
        try catchUp()
    }

    private func viewOnDisk() throws -> View? {
        guard let savedView, try log.lastPosition() >= savedView.position,
            try savedView.resolutionsCount == log.resolutionsCount()
        else { return nil }
        guard try savedView.position == 0 || leaf(at: savedView.position) == savedView.leaf else { return nil }
        return try View(savedView)
    }

    func saveView() throws {
        savedView = SavedView(
            view, leaf: view.position == 0 ? nil : try leaf(at: view.position), resolutionsCount: resolutionsCount)
    }

    private func leaf(at position: Position) throws -> Hash256? {
        var leaf: Hash256?
        var hasher = MerkleHasher()
        try log.withEvent(at: position) { frame, bytes in leaf = hasher.leaf(of: frame, in: bytes) }
        return leaf
    }
}
