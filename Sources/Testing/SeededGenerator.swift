import GroundwaveSeededNumbers

/// The generator of seeded tests: the same seed gives the same numbers, and neighbouring seeds have none in common.
public typealias SeededGenerator = GroundwaveSeededNumbers.SeededGenerator
