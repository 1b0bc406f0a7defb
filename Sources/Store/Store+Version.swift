extension Store {
    /// The version of this library and its program.
    public static let libraryVersion = "0.1.0"
}
