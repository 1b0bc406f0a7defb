import GroundwaveEvents

extension EventLog {
    /// Why the values of `event`, which are not here, are not. Cost: two look-ups.
    public func withholding(of event: EventID) throws -> Withholding {
        if try erased().contains(event) { return .erased }
        return try base()?.vector.contains(event) ?? false ? .archived : .absent
    }
}
