import GroundwaveEvents

/// Puts events that were found in a file into the order of the log that they are of.
///
/// Most say where they stood: their entry's key is the position. What does not, or is a copy of the past, is placed by
/// the chain: each event names the checksum of the one before it. Of two that claim one position, the one stays that
/// goes with its neighbours.
struct FramePlacing {
    /// The events in the order of the log, none twice.
    private(set) var frames: [FoundFrame] = []
    /// Of events that have no position: where they can be found by the event before, and by themselves.
    private var byPrevious: [UInt32: [FoundFrame]] = [:]
    private var byChecksum: [UInt32: [FoundFrame]] = [:]

    init(_ found: [FoundFrame]) {
        var placed = found.filter { $0.position > 0 && $0.standing > .stale }
        placed.sort { ($0.position, $1.standing.rawValue) < ($1.position, $0.standing.rawValue) }
        var known = Set<UInt64>(minimumCapacity: placed.count)
        frames = Self.atTheirPlaces(Self.chosen(from: placed))
        for frame in frames { known.insert(Self.mark(frame)) }
        for frame in found where !known.contains(Self.mark(frame)) {
            byPrevious[frame.previousChecksum, default: []].append(frame)
            byChecksum[frame.checksum, default: []].append(frame)
        }
        fillHoles()
        goOnAtEnd()
        removeRepeated()
        removeMisplaced()
    }

    /// What tells an event in its place from others.
    private static func mark(_ frame: FoundFrame) -> UInt64 {
        UInt64(frame.previousChecksum) << 32 | UInt64(frame.checksum)
    }

    /// Of the events that claim a position each, those that go together.
    ///
    /// - Parameter placed: In order of position, those of the newest state first.
    private static func chosen(from placed: [FoundFrame]) -> [FoundFrame] {
        // How many events follow each by the chain.
        var following = [Int](repeating: 0, count: placed.count)
        var groups: [Range<Int>] = []
        var start = 0
        for index in placed.indices.dropFirst() where placed[index].position != placed[start].position {
            groups.append(start..<index)
            start = index
        }
        if !placed.isEmpty { groups.append(start..<placed.count) }
        for (place, group) in groups.enumerated().reversed() where place + 1 < groups.count {
            let next = groups[place + 1]
            guard placed[next.lowerBound].position == placed[group.lowerBound].position + 1 else { continue }
            for index in group {
                for other in next where placed[other].previousChecksum == placed[index].checksum {
                    following[index] = Swift.max(following[index], following[other] + 1)
                }
            }
        }
        var chosen: [FoundFrame] = []
        chosen.reserveCapacity(groups.count)
        for group in groups {
            let last = chosen.last
            func rank(_ index: Int) -> (Int, Int, Int) {
                let frame = placed[index]
                let isLinked =
                    last.map { $0.position + 1 == frame.position && $0.checksum == frame.previousChecksum } ?? false
                return (Int(frame.standing.rawValue), isLinked ? 1 : 0, following[index])
            }
            if group.count == 1 {
                chosen.append(placed[group.lowerBound])
            } else if let best = group.max(by: { rank($0) < rank($1) }) {
                chosen.append(placed[best])
            }
        }
        return withoutStrangers(chosen)
    }

    /// The runs of events that stand side by side and are chained.
    private static func runs(of frames: [FoundFrame]) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var start = 0
        for index in frames.indices.dropFirst()
        where frames[index].position != frames[index - 1].position + 1
            || frames[index].previousChecksum != frames[index - 1].checksum
        {
            runs.append(start..<index)
            start = index
        }
        if !frames.isEmpty { runs.append(start..<frames.count) }
        return runs
    }

    /// Leaves out what stands at another place than the chain says: a position is a key, which no checksum covers. It is
    /// placed by the chain afterwards.
    private static func atTheirPlaces(_ frames: [FoundFrame]) -> [FoundFrame] {
        let runs = runs(of: frames)
        if runs.count < 2 { return frames }
        var byLast: [UInt32: Int] = [:]
        for (index, run) in runs.enumerated() { byLast[frames[run.upperBound - 1].checksum] = index }
        var loose = Set<Int>()
        for (index, run) in runs.enumerated() {
            guard let before = byLast[frames[run.lowerBound].previousChecksum], before != index else { continue }
            if frames[runs[before].upperBound - 1].position + 1 != frames[run.lowerBound].position {
                loose.insert(runs[before].count < run.count ? before : index)
            }
        }
        if loose.isEmpty { return frames }
        return runs.enumerated().filter { !loose.contains($0.offset) }.flatMap { frames[$0.element] }
    }

    /// Leaves out what does not go with its neighbours: of two runs that stand side by side and are not chained, the
    /// lower in standing, else the shorter.
    private static func withoutStrangers(_ frames: [FoundFrame]) -> [FoundFrame] {
        let runs = runs(of: frames)
        var kept: [Range<Int>] = []
        for run in runs {
            guard let last = kept.last, frames[last.upperBound - 1].position + 1 == frames[run.lowerBound].position
            else {
                kept.append(run)
                continue
            }
            func rank(_ run: Range<Int>) -> (Int, Int) { (Int(frames[run.lowerBound].standing.rawValue), run.count) }
            if rank(last) < rank(run) {
                kept[kept.count - 1] = run
            }
        }
        return kept.flatMap { frames[$0] }
    }

    /// Looks for what stood between two events that are not neighbours.
    private mutating func fillHoles() {
        guard !byPrevious.isEmpty else { return }
        var filled: [FoundFrame] = []
        filled.reserveCapacity(frames.count)
        for frame in frames {
            let (position, checksum) = filled.last.map { ($0.position, $0.checksum) } ?? (0, 0)
            if frame.position > position + 1 {
                filled += hole(after: position, checksum, before: frame)
            }
            filled.append(frame)
        }
        frames = filled
    }

    /// The events of a hole that can be found, in order.
    private func hole(after position: Position, _ checksum: UInt32, before end: FoundFrame) -> [FoundFrame] {
        // Whoever is named by a living event was before it, wherever it was found.
        var back: [FoundFrame] = []
        var (next, named) = (end.position, end.previousChecksum)
        while next > position + 1, let frame = byChecksum[named]?.first {
            next -= 1
            back.append(frame.standing(at: next))
            named = frame.previousChecksum
        }
        // One that only follows may have been written and never committed: it must lie where the log may have had it.
        var on: [FoundFrame] = []
        var last = (position: position, checksum: checksum)
        while last.position + 1 < next,
            let frame = byPrevious[last.checksum]?.first(where: { $0.standing > .stale })
        {
            last = (last.position + 1, frame.checksum)
            on.append(frame.standing(at: last.position))
        }
        return on + back.reversed()
    }

    /// Follows the chain behind the last event, through pages that no state leads to: commits whose meta page is lost.
    private mutating func goOnAtEnd() {
        let (position, checksum) = frames.last.map { ($0.position, $0.checksum) } ?? (0, 0)
        frames += Self.chain(behind: position, checksum) { checksum, _ in
            byPrevious[checksum]?.max { $0.standing < $1.standing }
        }
    }

    /// The events that follow one by the chain, in order, with their positions. Only whole batches count.
    ///
    /// - Parameters:
    ///   - position: Where that one stands; 0 for the beginning of the log.
    ///   - checksum: What the next event names.
    ///   - next: The event that names a checksum, for a position.
    static func chain(
        behind position: Position, _ checksum: UInt32, next: (UInt32, Position) -> FoundFrame?
    ) -> [FoundFrame] {
        var last = (position, checksum)
        var (chain, batch): ([FoundFrame], [FoundFrame]) = ([], [])
        var seen = Set<UInt32>()
        while let frame = next(last.1, last.0 + 1), seen.insert(frame.checksum).inserted {
            last = (last.0 + 1, frame.checksum)
            batch.append(frame.standing(at: last.0))
            if frame.rest == 0 {
                chain += batch
                batch.removeAll()
            }
        }
        return chain
    }

    /// Leaves out events whose numbers do not ascend: of each replica the most stay that do.
    private mutating func removeMisplaced() {
        var last: [ReplicaID: SequenceNumber] = [:]
        var isAscending = true
        for frame in frames {
            if frame.event.sequence <= last[frame.event.replica] ?? 0 { isAscending = false }
            last[frame.event.replica] = frame.event.sequence
        }
        if isAscending { return }
        var kept = Set<Int>()
        for (_, places) in Dictionary(grouping: frames.indices, by: { frames[$0].event.replica }) {
            kept.formUnion(Self.longestAscending(places) { frames[$0].event.sequence })
        }
        frames = frames.indices.filter { kept.contains($0) }.map { frames[$0] }
    }

    /// A longest part of `places` whose numbers ascend (patience sorting).
    private static func longestAscending(_ places: [Int], _ number: (Int) -> SequenceNumber) -> [Int] {
        var tops: [Int] = []
        var before: [Int: Int] = [:]
        for place in places {
            var (low, high) = (0, tops.count)
            while low < high {
                let middle = (low + high) / 2
                if number(tops[middle]) < number(place) { low = middle + 1 } else { high = middle }
            }
            if low > 0 { before[place] = tops[low - 1] }
            if low == tops.count { tops.append(place) } else { tops[low] = place }
        }
        var chain: [Int] = []
        var next = tops.last
        while let place = next {
            chain.append(place)
            next = before[place]
        }
        return chain
    }

    private mutating func removeRepeated() {
        var seen = Set<EventID>(minimumCapacity: frames.count)
        frames.removeAll { !seen.insert($0.event).inserted }
    }
}
