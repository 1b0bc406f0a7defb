/// What is sent to a meter so that it measures: bytes only, for whoever owns the connection.
public struct MeterConversation: Hashable, Sendable {
    /// Bytes that are sent again and again.
    public struct Repeated: Hashable, Sendable {
        /// What is sent.
        public let bytes: [UInt8]
        /// How long from one time to the next, in milliseconds.
        public let intervalMilliseconds: Int
        /// Where in the bytes a number stands that is one more each time, from 255 back to 0; `nil` where none does.
        public let transactionOffset: Int?

        init(_ bytes: [UInt8], everyMilliseconds interval: Int, transactionOffset: Int? = nil) {
            self.bytes = bytes
            intervalMilliseconds = interval
            self.transactionOffset = transactionOffset
        }

        /// The bytes with `transaction` in its place, if they have one.
        public func bytes(transaction: UInt8) -> [UInt8] {
            var bytes = bytes
            if let transactionOffset { bytes[transactionOffset] = transaction }
            return bytes
        }
    }

    /// What is sent once, in this order, as soon as the connection stands; often nothing.
    public let start: [[UInt8]]
    /// What is sent for each answer; `nil` where the meter sends without being asked.
    public let poll: Repeated?
    /// What is sent so that the meter does not fall silent; `nil` where it never does.
    public let keepAlive: Repeated?

    init(start: [[UInt8]] = [], poll: Repeated? = nil, keepAlive: Repeated? = nil) {
        self.start = start
        self.poll = poll
        self.keepAlive = keepAlive
    }
}

extension MeterModel {
    /// What to send to the meter over `link`.
    ///
    /// - UM24C, UM25C, UM34C: one byte, answered by 130. They renew their numbers twice a second.
    /// - TC66C: `getva`, by Bluetooth `bgetva` and a line's end (kolinger/rd-usb), answered by 192 bytes.
    /// - FNIRSI by USB: reports of 64 bytes (baryluk/fnirsi-usb-power-data-logger). The FNB48 and C1 want theirs every
    ///   3 ms, the FNB58 and FNB48S each second; with firmware 0.68 they too want it every 3 ms (#19 there). By
    ///   Bluetooth two commands, and then nothing (zhiyb/FNB58_mqtt_forwarder).
    /// - KM003C: a connection, and then one reading for each request (okhsunrog/km003c-protocol-research). Its queue of
    ///   up to 1,000 samples a second is asked for in the same way with attribute 2, but only after a proof that takes
    ///   the meter's hardware number: it is not part of this, while the decoder reads its answers.
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
