import ByteCoding

/// The format of any supported meter. Each case takes its format out, advances it and stores it back.
enum MeterFormat: FrameFormat {
    case um(RDTechUM)
    case tc66(RDTechTC66)
    case fnirsiReports(FNIRSIReports)
    case fnirsiBluetooth(FNIRSIBluetooth)
    case km003c(KM003C)
    case atorch(Atorch)

    init(_ model: MeterModel, over link: MeterModel.Link) {
        self =
            switch model {
            case .um24c: .um(RDTechUM(.um24c))
            case .um25c: .um(RDTechUM(.um25c))
            case .um34c: .um(RDTechUM(.um34c))
            case .tc66c: .tc66(RDTechTC66())
            case .fnb48, .fnb48s, .c1, .fnb58:
                link == .usb ? .fnirsiReports(FNIRSIReports()) : .fnirsiBluetooth(FNIRSIBluetooth())
            case .km003c: .km003c(KM003C())
            case .atorch: .atorch(Atorch())
            }
    }

    /// A new fence, which keeps out frames from before a connection.
    var newFence: Fence {
        if case .fnirsiReports = self { Fence(framesToSkip: 1) } else { Fence() }
    }

    static let longestWait = KM003C.longestFrame

    mutating func step(
        _ window: RawSpan, isLast: Bool, fence: inout Fence, into rows: inout DecodedRows
    ) -> FrameStep {
        switch self {
        case .um(var format):
            defer { self = .um(format) }
            return format.step(window, isLast: isLast, fence: &fence, into: &rows)
        case .tc66(var format):
            defer { self = .tc66(format) }
            return format.step(window, isLast: isLast, fence: &fence, into: &rows)
        case .fnirsiReports(var format):
            defer { self = .fnirsiReports(format) }
            return format.step(window, isLast: isLast, fence: &fence, into: &rows)
        case .fnirsiBluetooth(var format):
            defer { self = .fnirsiBluetooth(format) }
            return format.step(window, isLast: isLast, fence: &fence, into: &rows)
        case .km003c(var format):
            defer { self = .km003c(format) }
            return format.step(window, isLast: isLast, fence: &fence, into: &rows)
        case .atorch(var format):
            defer { self = .atorch(format) }
            return format.step(window, isLast: isLast, fence: &fence, into: &rows)
        }
    }

    mutating func restart() {
        switch self {
        case .um(var format):
            format.restart()
            self = .um(format)
        case .tc66(var format):
            format.restart()
            self = .tc66(format)
        case .fnirsiReports(var format):
            format.restart()
            self = .fnirsiReports(format)
        case .fnirsiBluetooth(var format):
            format.restart()
            self = .fnirsiBluetooth(format)
        case .km003c(var format):
            format.restart()
            self = .km003c(format)
        case .atorch(var format):
            format.restart()
            self = .atorch(format)
        }
    }

    /// Records that a request with this number was sent.
    mutating func asked(_ transaction: UInt8) {
        guard case .km003c(var format) = self else { return }
        format.asked(transaction)
        self = .km003c(format)
    }
}
