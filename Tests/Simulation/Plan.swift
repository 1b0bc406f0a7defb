import GroundwaveSeededNumbers

/// What a history is made of: how many devices, and what may go wrong in it.
struct Plan {
    let deviceCount: Int
    let stepCount: Int
    let placeCount: Int
    /// How often each step is taken.
    private(set) var weights: [Step: Int] = [:]
    /// How devices meet at the end.
    let healing: Healing
    /// Percent of conversations and looks in which something goes wrong.
    let faultPercent: Int
    /// The most bytes of events of one range, and how many events until one says all that was seen.
    let preferredBytes: Int
    let contextCount: UInt64

    enum Step: Int, CaseIterable {
        case write, importFile, pin, talk, look, bundle, deliver, clock, partition, crash, save, backup, restore
        case clone, erase, loseDevice, emptyPlace
    }

    enum Healing: Int, CaseIterable {
        /// Everybody talks with everybody; only with the device before and the one behind, so that all has to be passed
        /// on; all look at one place; they talk and look.
        case conversations, line, place, both
    }

    init(using numbers: inout SeededGenerator) {
        deviceCount = numbers.pick([2, 3, 3, 4, 4, 5, 5, 6, 7])
        stepCount = numbers.number(200...260)
        placeCount = numbers.number(1...2)
        healing = numbers.pick([.conversations, .line, .place, .both])
        faultPercent = numbers.pick([10, 30, 60])
        preferredBytes = numbers.pick([500, 1500, 1 << 20, 1 << 20])
        contextCount = numbers.pick([8, 256])
        weights = [
            .write: 70, .importFile: 8, .pin: 16, .talk: 20, .look: 16, .bundle: 7, .deliver: 10, .clock: 14,
            .partition: 8, .crash: 6, .save: 8, .backup: 10, .emptyPlace: 1,
        ]
        if numbers.happens(40) { weights[.restore] = 2 }
        if numbers.happens(30) { weights[.clone] = 2 }
        if numbers.happens(40) { weights[.erase] = 3 }
        if numbers.happens(40) { weights[.loseDevice] = 1 }
    }

    func step(using numbers: inout SeededGenerator) -> Step {
        Step.allCases[numbers.place(weights: Step.allCases.map { weights[$0] ?? 0 })]
    }
}
