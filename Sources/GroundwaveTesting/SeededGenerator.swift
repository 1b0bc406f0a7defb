import SeededNumbers

/// The generator of seeded tests: the same seed gives the same numbers, and different seeds share none.
public typealias SeededGenerator = SeededNumbers.SeededGenerator
