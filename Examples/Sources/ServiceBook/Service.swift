import Groundwave

/// What was done to a device: a record of the service book.
struct Service: TypedRecord, Hashable {
    var device = ""
    var day: CalendarDay?
    /// What it cost, in hundredths, since sums are of whole numbers.
    var cents: Int64 = 0
    var notes = ""
    /// The parts that were replaced, such as `Seal, 40 mm`. If two devices add parts, both are there.
    var parts: [String] = []

    static let name = "service"
    /// The numbers and names are on disk: a field keeps its number for ever.
    static let fields = [
        Field(1, "DEVICE", \.device, type: .text(limit: 200)), Field(2, "DAY", \.day), Field(3, "CENTS", \.cents),
        Field(4, "NOTES", \.notes), Field(5, "PARTS", \.parts),
    ]
    static let indexes = [byDevice]

    /// The services of a device, in order of day.
    static let byDevice = Index(1, "device") { [.text($0.device), .text($0.day.map { "\($0)" } ?? "")] }

    /// A service that cannot be written.
    enum Problem: Error { case noDevice }

    func validate() throws { if device.isEmpty { throw Problem.noDevice } }
}
