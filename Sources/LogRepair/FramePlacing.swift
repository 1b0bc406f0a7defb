import GroundwaveEvents

/// Puts events that were found in a file into log order.
///
/// Most have a position: the key of their entry. An event without one, or a stale copy, is placed by the chain: each
/// event stores the checksum of the event before it. Of two events with one position, the one that is chained to its
/// neighbours is kept.
package struct FramePlacing {
    /// The events in the order of the log, none twice.
    private(set) var frames: [FoundFrame] = []
    /// The events without a position, by the checksum of the event before, and by their own.
    private var byPrevious: [UInt32: [FoundFrame]] = [:]
    private var byChecksum: [UInt32: [FoundFrame]] = [:]

    init(_ found: [FoundFrame]) {
        var placed = found.filter { $0.position > 0 && $0.standing > .stale }
        placed.sort { ($0.position, $1.standing.rawValue) < ($1.position, $0.standing.rawValue) }
        frames = Self.atTheirPlaces(Self.chosen(from: placed))
        if frames.count < found.count {
            let known = Set(frames.lazy.map(Self.mark))
            for frame in found where !known.contains(Self.mark(frame)) {
                byPrevious[frame.previousChecksum, default: []].append(frame)
                byChecksum[frame.checksum, default: []].append(frame)
            }
        }
        fillLostRanges()
        goOnAtEnd()
        // In numbers that ascend, no event is there twice.
        if !isAscending {
            removeRepeated()
            removeMisplaced()
        }
    }

    /// Returns a number that identifies an event at its place.
    private static func mark(_ frame: FoundFrame) -> UInt64 {
        UInt64(frame.previousChecksum) << 32 | UInt64(frame.checksum)
    }

    /// Returns one event for each position: those that are chained to each other.
    ///
    /// - Parameter placed: The events in order of position; for each position those of the newest state first.
    private static func chosen(from placed: [FoundFrame]) -> [FoundFrame] {
        // The number of events that follow each one by the chain.
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

    /// Returns the runs of events that are adjacent and chained.
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

    /// Removes events that are at another position than the chain implies: a position is a key, which no checksum
    /// covers. They are placed by the chain later.
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

    /// Removes events that do not match their neighbours: of two adjacent runs that are not chained, the one on less
    /// certain pages, otherwise the shorter one.
    private static func withoutStrangers(_ frames: [FoundFrame]) -> [FoundFrame] {
        let runs = runs(of: frames)
        if runs.count < 2 { return frames }
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

    /// Searches for the events between two that are not neighbours.
    private mutating func fillLostRanges() {
        guard !byPrevious.isEmpty else { return }
        var filled: [FoundFrame] = []
        filled.reserveCapacity(frames.count)
        for frame in frames {
            let (position, checksum) = filled.last.map { ($0.position, $0.checksum) } ?? (0, 0)
            if frame.position > position + 1 {
                filled += lostFrames(after: position, checksum, before: frame)
            }
            filled.append(frame)
        }
        frames = filled
    }

    /// Returns the events that can be found for a gap, in order.
    private func lostFrames(after position: Position, _ checksum: UInt32, before end: FoundFrame) -> [FoundFrame] {
        // An event to which the chain of a valid event leads came before it, wherever it was found.
        var back: [FoundFrame] = []
        var (next, named) = (end.position, end.previousChecksum)
        while next > position + 1, let frame = byChecksum[named]?.first {
            next -= 1
            back.append(frame.standing(at: next))
            named = frame.previousChecksum
        }
        // An event that only follows may never have been committed: it must be on a page that the log may have used.
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

    /// Returns the events that follow an event by the chain, in order, with their positions. Only whole batches are
    /// included.
    ///
    /// - Parameters:
    ///   - position: The position of that event; 0 for the beginning of the log.
    ///   - checksum: Its checksum, which the next event stores.
    ///   - next: Returns the event that stores a predecessor checksum, for a position.
    package static func chain(
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

    /// Whether the numbers of each replica ascend.
    private var isAscending: Bool {
        var last: [ReplicaID: SequenceNumber] = [:]
        return frames.allSatisfy { frame in
            frame.event.sequence > last.updateValue(frame.event.sequence, forKey: frame.event.replica) ?? 0
        }
    }

    /// Removes events whose numbers do not ascend: keeps as many of each replica as possible.
    private mutating func removeMisplaced() {
        var kept = Set<Int>()
        for (_, places) in Dictionary(grouping: frames.indices, by: { frames[$0].event.replica }) {
            kept.formUnion(Self.longestAscending(places) { frames[$0].event.sequence })
        }
        frames = frames.indices.filter { kept.contains($0) }.map { frames[$0] }
    }

    /// Returns a longest subsequence of `places` whose numbers ascend (patience sorting).
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
