/// The bytes to send to a meter so that it measures. The owner of the connection sends them.
public struct MeterConversation: Hashable, Sendable {
    /// Bytes that are sent repeatedly.
    public struct Repeated: Hashable, Sendable {
        /// The bytes to send.
        public let bytes: [UInt8]
        /// The interval between two sends, in milliseconds.
        public let intervalMilliseconds: Int
        /// The offset of a byte that is incremented for each send, from 255 back to 0; `nil` if there is none.
        public let transactionOffset: Int?

        init(_ bytes: [UInt8], everyMilliseconds interval: Int, transactionOffset: Int? = nil) {
            self.bytes = bytes
            intervalMilliseconds = interval
            self.transactionOffset = transactionOffset
        }

        /// Returns the bytes with `transaction` at ``transactionOffset``, if there is one.
        public func bytes(transaction: UInt8) -> [UInt8] {
            var bytes = bytes
            if let transactionOffset { bytes[transactionOffset] = transaction }
            return bytes
        }
    }

    /// The messages to send once, in this order, when the connection is established; often none.
    public let start: [[UInt8]]
    /// The request that is sent for each answer; `nil` if the meter sends unasked.
    public let poll: Repeated?
    /// The message that keeps the meter sending; `nil` if it needs none.
    public let keepAlive: Repeated?

    init(start: [[UInt8]] = [], poll: Repeated? = nil, keepAlive: Repeated? = nil) {
        self.start = start
        self.poll = poll
        self.keepAlive = keepAlive
    }
}

extension MeterModel {
    /// Returns the bytes to send to the meter over `link`.
    ///
    /// - UM24C, UM25C, UM34C: one byte, answered by 130. These meters renew their values twice a second.
    /// - TC66C: `getva`, by Bluetooth `bgetva` and a line end (kolinger/rd-usb), answered by 192 bytes.
    /// - FNIRSI by USB: reports of 64 bytes (baryluk/fnirsi-usb-power-data-logger). The FNB48 and C1 need the
    ///   keep-alive every 3 ms, the FNB58 and FNB48S every second; with firmware 0.68 they also need it every 3 ms (#19
    ///   there). By Bluetooth two commands, and then nothing (zhiyb/FNB58_mqtt_forwarder).
    /// - KM003C: a connect command, and then one reading per request (okhsunrog/km003c-protocol-research). Its queue
    ///   of up to 1,000 samples a second is requested in the same way with attribute 2, but only after an
    ///   authentication that needs the meter's hardware number. That is not supported here, although the decoder reads
    ///   the answers.
    /// - Atorch: nothing.
    public func conversation(over link: Link) -> MeterConversation {
        switch self {
        case .um24c, .um25c, .um34c:
            MeterConversation(poll: .init([0xF0], everyMilliseconds: 500))
        case .tc66c:
            MeterConversation(
                poll: .init(Array((link == .usb ? "getva" : "bgetva\r\n").utf8), everyMilliseconds: 500))
        case .fnb48, .c1, .fnb48s, .fnb58:
            link == .usb
                ? reportConversation
                : MeterConversation(start: [[0xAA, 0x81, 0x00, 0xF4], [0xAA, 0x82, 0x00, 0xA7]])
        case .km003c:
            MeterConversation(
                start: [[0x02, 0x00, 0x00, 0x00]],
                poll: .init([0x0C, 0x00, 0x02, 0x00], everyMilliseconds: 200, transactionOffset: 1))
        case .atorch:
            MeterConversation()
        }
    }

    private var reportConversation: MeterConversation {
        func report(_ command: UInt8, _ check: UInt8) -> [UInt8] {
            [0xAA, command] + [UInt8](repeating: 0, count: 61) + [check]
        }
        let isNewer = self == .fnb58 || self == .fnb48s
        return MeterConversation(
            start: [report(0x81, 0x8E), report(0x82, 0x96), isNewer ? report(0x82, 0x96) : report(0x83, 0x9E)],
            keepAlive: .init(report(0x83, 0x9E), everyMilliseconds: isNewer ? 1_000 : 3))
    }
}
