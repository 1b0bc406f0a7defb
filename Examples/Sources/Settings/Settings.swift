/// The settings of the garden.
public struct Settings: Sendable {
    /// How often the plants are watered, in days.
    public var daysBetweenWaterings = 3

    /// Creates the settings of a new garden.
    public init() {}
}
