/// A family of meters, which has a form of frames of its own.
public enum Family: String, CaseIterable, Sendable {
    /// RDTech's UM24C, UM25C and UM34C, which answer a byte.
    case um24c, um25c, um34c
    /// RDTech's TC66C, which answers a word in cipher.
    case tc66c
    /// FNIRSI's FNB58, by USB: reports of four rows, sent unasked once they were begun.
    case fnirsiUSB
    /// The same by Bluetooth: a row among frames of other kinds.
    case fnirsiBluetooth
    /// A KM003C whose queue of samples another program requests.
    case km003cQueue
    /// A KM003C that answers with single readings.
    case km003cReadings
    /// Atorch's USB meters, which send unasked.
    case atorch

    /// Whether it sends a frame for each request.
    var isAsked: Bool {
        switch self {
        case .um24c, .um25c, .um34c, .tc66c, .km003cReadings: true
        case .fnirsiUSB, .fnirsiBluetooth, .km003cQueue, .atorch: false
        }
    }

    /// Whether its rows have a counter.
    public var hasCounter: Bool { self == .km003cQueue }

    /// The number of rows of a frame, where it is always the same.
    public var rowsPerFrame: Int { self == .fnirsiUSB ? 4 : 1 }

    /// The milliseconds from one frame to the next, where they are always about the same.
    public var interval: Int64 {
        switch self {
        case .um24c, .um25c, .um34c, .tc66c: 500
        case .fnirsiUSB, .km003cQueue: 40
        case .fnirsiBluetooth: 100
        case .km003cReadings: 200
        case .atorch: 1_000
        }
    }

    /// The channels of its rows whose values the simulation knows, in the order of these.
    public var channels: [String] {
        switch self {
        case .um24c, .um25c, .um34c:
            ["voltage", "current", "power", "temperature", "d+", "d-", "group0.charge", "recorded.time"]
        case .tc66c: ["voltage", "current", "power", "resistance", "temperature", "d+", "group0.charge"]
        case .fnirsiUSB: ["voltage", "current", "d+", "d-", "temperature", "unknown.62"]
        case .fnirsiBluetooth: ["voltage", "current", "power", "resistance", "temperature", "d+", "group", "uptime"]
        case .km003cQueue: ["voltage", "current", "cc1", "d-", "marker"]
        case .km003cReadings: ["voltage", "current", "voltage.average", "temperature", "vdd", "d-.average"]
        case .atorch: ["voltage", "current", "charge", "energy", "temperature", "time"]
        }
    }

    /// The decimals of its voltage and of its current.
    public var decimals: (voltage: Int, current: Int) {
        switch self {
        case .um24c, .um34c: (2, 3)
        case .um25c: (3, 4)
        case .tc66c: (4, 5)
        case .fnirsiUSB: (5, 5)
        case .fnirsiBluetooth: (4, 4)
        case .km003cQueue, .km003cReadings: (6, 6)
        case .atorch: (2, 2)
        }
    }
}

/// What a recorder gets the bytes by.
public enum Line: String, CaseIterable, Sendable {
    /// A device, to which it also sends.
    case terminal
    /// A pipe, into which another program writes what it receives from the meter.
    case stream
    /// A file with what came.
    case file
}

/// What tells missing rows, and repeated ones.
public enum Witness: Sendable {
    /// The meter's counter, exactly.
    case counter
    /// The requests of the recorder, exactly.
    case requests
    /// The rate, about.
    case rate
    /// Nothing.
    case none
}

extension Family {
    /// What tells missing rows on `line`.
    public func witness(on line: Line) -> Witness {
        if hasCounter { return .counter }
        return line == .file ? .none : line == .terminal && isAsked ? .requests : .rate
    }
}
