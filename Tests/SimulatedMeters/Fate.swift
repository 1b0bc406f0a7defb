import GroundwaveSeededNumbers

/// What becomes of a frame on its way to the recorder.
enum Fate: Hashable, Sendable {
    case sound
    /// It never comes, or without its end: `kept` of a thousand parts of it do.
    case lost(kept: Int?)
    /// It comes again, some milliseconds later.
    case repeated
    /// It comes late by so many thousandths of an interval; those behind it do not overtake it.
    case late(Int)
    /// It comes with the next one that is not held; that one, and all before it, in one write or in two.
    case held(writes: Int)
    /// It has so many bytes of noise before it.
    case noisy(Int)
    /// It comes in two writes.
    case split
    /// The meter takes its time before it, so many thousandths of an interval, and loses nothing.
    case paused(Int)
    /// Of its rows, the first ten come twice.
    case stuttering
    /// Nothing comes for so many milliseconds before it, while the meter measures on.
    case away(Int64)

    var isHeld: Bool { if case .held = self { true } else { false } }
}

/// What happens beside the frames.
enum Trouble: Hashable, Sendable {
    /// The wall clock of the host is set by so many milliseconds.
    case wallStep(Int64)
    /// The host stops reading for so many milliseconds.
    case stop(Int64)
}

/// The fates of the frames of one run, and the troubles of its host by the number of the frame.
struct Plan: Sendable {
    private(set) var fates: [Fate] = []
    private(set) var troubles: [Int: Trouble] = [:]
    /// The frames behind a silence, at which the meter is not in step any more.
    private(set) var returns: Set<Int> = []

    /// The frames of which something is decided already, and their neighbours.
    private var taken: [Range<Int>] = []

    /// The number of sound frames between two faults: one thing at a time. Of two, nobody could tell which was which.
    private static let calm = 6

    init(_ family: Family, _ line: Line, count: Int, isHostSound: Bool, _ numbers: inout SeededGenerator) {
        fates = [Fate](repeating: .sound, count: count)
        // A counter shows a new rate by eight steps, which are four frames of two samples.
        if family.hasCounter { taken = FrameSource.turns(of: count).map { $0 - Self.calm..<$0 + 2 * Self.calm } }
        let later = min(41, count / 2)...count
        var silences = [numbers.chance(0.5) ? 3...8 : 20...40, later, later, later, later]
        if line != .file, !isHostSound {
            let stop = Int64.random(in: 1_000...5_000, using: &numbers)
            if let place = take(Int(stop / family.interval) + 2, later, &numbers) { troubles[place] = .stop(stop) }
            let step: Int64 = numbers.chance(0.5) ? 3_600_000 : -3_600_000
            if let place = take(1, later, &numbers) { troubles[place] = .wallStep(step) }
        }
        if family.hasCounter, !isHostSound, let place = take(1, silences.removeLast(), &numbers) {
            // More than a turn of its counter, which a file without times does not tell. Nobody waits for that in real time.
            fates[place] = .away(100 * .random(in: line == .file ? 100...500 : 660...1_400, using: &numbers))
        }
        for (number, places) in silences.enumerated() {
            // Of the shortest that must be told there are some.
            let longest = number > 1 ? 3 : family.hasCounter ? 19 : 39
            let length = Int.random(in: 3...longest, using: &numbers)
            guard let place = take(length, places, &numbers) else { continue }
            fill(place, .lost(kept: nil), length)
            returns.insert(place + length)
        }
        var place = 3
        while place < count {
            if let fate = Self.fault(family, line, &numbers) {
                let length = fate.isHeld ? Int.random(in: 1...3, using: &numbers) : 1
                if take(length, place...place, &numbers) != nil { fill(place, fate, length) }
            }
            place += 1
        }
    }

    /// Finds so many frames in a row that begin at one of `places` and are free, and takes them with their neighbours.
    private mutating func take(_ length: Int, _ places: ClosedRange<Int>, _ numbers: inout SeededGenerator) -> Int? {
        for _ in 0..<50 {
            let place = Int.random(in: places, using: &numbers)
            // Nothing happens to the last frames, so that the end is plain.
            guard place + length + 2 * Self.calm < fates.count else { continue }
            let wanted = place - Self.calm..<place + length + Self.calm
            if taken.contains(where: { $0.overlaps(place - 1..<place + length) }) { continue }
            taken.append(wanted)
            return place
        }
        return nil
    }

    private mutating func fill(_ place: Int, _ fate: Fate, _ length: Int) {
        for index in place..<place + length { fates[index] = fate }
    }

    /// What happens to a frame, if anything. Frames that are free for it are few, so it is likely.
    private static func fault(_ family: Family, _ line: Line, _ numbers: inout SeededGenerator) -> Fate? {
        switch Double.random(in: 0..<1, using: &numbers) {
        case ..<0.05: .lost(kept: nil)
        case ..<0.08: .repeated
        case ..<0.13: .late(.random(in: 200...1_200, using: &numbers))
        case ..<0.19: .held(writes: .random(in: 1...2, using: &numbers))
        case ..<0.22: .lost(kept: .random(in: 1...900, using: &numbers))
        case ..<0.25: .noisy(.random(in: 1...40, using: &numbers))
        case ..<0.30: .split
        case ..<0.36 where family.hasCounter: .stuttering
        case ..<0.32 where family.witness(on: line) == .rate: .paused(.random(in: 1_100...1_300, using: &numbers))
        default: nil
        }
    }
}
