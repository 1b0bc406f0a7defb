import SeededNumbers

/// The generator of seeded tests: the same seed gives the same numbers, and neighbouring seeds share none.
public typealias SeededGenerator = SeededNumbers.SeededGenerator
