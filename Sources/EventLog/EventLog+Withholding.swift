import Events

extension EventLog {
    /// Returns why the values of `event` are not here. Cost: two look-ups.
    public func withholding(of event: EventID) throws -> Withholding {
        if try erased().contains(event) { return .erased }
        return try base()?.vector.contains(event) ?? false ? .archived : .absent
    }
}
