/// A supported model of USB power meter.
public enum MeterModel: String, CaseIterable, Sendable, Hashable {
    /// RDTech UM24C.
    case um24c
    /// RDTech UM25C.
    case um25c
    /// RDTech UM34C.
    case um34c
    /// RDTech TC66C.
    case tc66c
    /// FNIRSI FNB48.
    case fnb48
    /// FNIRSI FNB48S and FNB48P.
    case fnb48s
    /// FNIRSI C1.
    case c1
    /// FNIRSI FNB58.
    case fnb58
    /// ChargerLAB POWER-Z KM003C and KM002C.
    case km003c
    /// Atorch's meters: UD18, UD24, J7-C, AT24, AT35, DL24, DT24, DT3010 and others, for AC, DC and USB.
    case atorch

    /// The link to a meter; the protocol may depend on it.
    public enum Link: String, CaseIterable, Sendable, Hashable {
        /// A USB cable: HID, CDC or bulk transfers, depending on the model.
        case usb
        /// Bluetooth, classic or Low Energy.
        case bluetooth
    }

    /// The name printed on the meter's case.
    public var displayName: String {
        switch self {
        case .um24c: "RDTech UM24C"
        case .um25c: "RDTech UM25C"
        case .um34c: "RDTech UM34C"
        case .tc66c: "RDTech TC66C"
        case .fnb48: "FNIRSI FNB48"
        case .fnb48s: "FNIRSI FNB48S"
        case .c1: "FNIRSI C1"
        case .fnb58: "FNIRSI FNB58"
        case .km003c: "POWER-Z KM003C"
        case .atorch: "Atorch"
        }
    }

    /// The links over which the meter sends measurements, the usual one first.
    public var links: [Link] {
        switch self {
        case .um24c, .um25c, .um34c, .atorch: [.bluetooth]
        case .tc66c, .fnb48, .fnb48s, .c1, .fnb58: [.usb, .bluetooth]
        case .km003c: [.usb]
        }
    }

    /// Returns the number of rows per second that the meter sends over `link`: one number, or its slowest to its
    /// fastest.
    ///
    /// RDTech's meters can be polled faster, but then repeat their values.
    public func rowsPerSecond(over link: Link) -> ClosedRange<Int> {
        switch self {
        case .um24c, .um25c, .um34c: 2...3
        case .tc66c: 2...10
        case .fnb48, .fnb48s, .c1, .fnb58: link == .usb ? 100...100 : 10...10
        case .km003c: 2...1_000
        case .atorch: 1...1
        }
    }

    /// Returns the number of rows per second to assume for a capture over `link` that has neither times nor a counter:
    /// that of this program's own requests, or of a meter that sends unasked.
    package func usualRowsPerSecond(over link: Link) -> Double {
        if let poll = conversation(over: link).poll { return 1000 / Double(poll.intervalMilliseconds) }
        return Double(rowsPerSecond(over: link).lowerBound)
    }

    /// Creates a decoder of the bytes that the meter sends over `link`, at the beginning of a stream.
    ///
    /// It accepts all that arrives, as suits a capture. For a live connection, call ``MeterDecoder/begin(into:)`` and
    /// ``MeterDecoder/asked(transaction:)`` to keep out frames from before it.
    ///
    /// - Parameter link: One of ``links``; the first of them if `nil` or not among them.
    public func makeDecoder(over link: Link? = nil) -> MeterDecoder {
        let link = link.flatMap { links.contains($0) ? $0 : nil } ?? links[0]
        return MeterDecoder(self, over: link)
    }
}
