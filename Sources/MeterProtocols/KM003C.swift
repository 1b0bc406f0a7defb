import GroundwaveByteCoding

/// The answers of ChargerLAB's POWER-Z KM003C and KM002C over USB, little-endian.
///
/// | at | bits | meaning |
/// | --- | --- | --- |
/// | 0 | 0-6 | kind: 0x41 carries data; 0x05 accepts and 0x06 rejects a command, both 4 bytes long |
/// | 1 | 8 | transaction: the number of the request that is answered |
/// | 2 | 16 | the argument of a command; for data, in the upper 10 bits, about length / 4, 0 if nothing follows |
/// | 4 | 32 | extended header: attribute (15), whether another follows (1), count (6), size (10) |
/// | 8 | | the payload of the attribute; then perhaps another extended header |
///
/// Attribute 1 is one ``KM003CReading``. Attribute 2 is a queue of `count` samples, each of `size` 20 bytes, see
/// ``KM003CQueue``. Attributes 8 (settings), 16 (Power Delivery) and 0x200 (recordings on the meter) give no rows.
/// Source: okhsunrog/km003c-protocol-research (`docs/protocol_reference.md`, `docs/features/adcqueue.md`).
///
/// # Frames without a check
/// USB checks each transfer, so the frames have no check of their own. A frame is accepted as complete by its form,
/// if no other frame begins inside it, and if the ticks of a queue advance by at most two seconds each or repeat.
/// Otherwise the frame is refused, and the search resumes at the next beginning. A frame that lost fewer than eight
/// bytes at its very end looks complete: that does not happen on USB, but may happen in a file.
///
/// # Stale frames
/// A request is answered once, under its number. After a connection, frames are stale until the first with the number
/// of an open request: what answers it was sent after the request, and so is all that follows, whatever its number. If
/// no such frame comes, another program requests measurements from this meter, and its third answer passes.
struct KM003C: FrameFormat {
    /// The longest packet (`docs/protocol_reference.md`).
    static let longestFrame = 2_544
    static let longestWait = longestFrame

    private var isAligned = true
    private var queue = KM003CQueue()
    private var numbers = Numbers.none

    /// What the numbers of the frames say about their age.
    private enum Numbers {
        /// Nothing: no number was requested since the connection.
        case none
        /// These numbers are open, and this many frames of measurements had others.
        case open(Set<UInt8>, foreignCount: Int)
        /// Nothing more: what comes now answers somebody now.
        case passed
    }

    // After so many answers to requests of others, nobody waits any longer for one to an own request.
    private static let foreignLimit = 3

    mutating func restart() {
        isAligned = true
        queue = KM003CQueue()
        numbers = .none
    }

    /// Records that a request with this number was sent.
    mutating func asked(_ transaction: UInt8) {
        switch numbers {
        case .none: numbers = .open([transaction], foreignCount: 0)
        case .open(let open, let count): numbers = .open(open.union([transaction]), foreignCount: count)
        case .passed: break
        }
    }

    // Whether a frame with this number passes. Only frames of measurements are counted.
    private mutating func letsThrough(_ transaction: UInt8, _ packets: [Packet]) -> Bool {
        guard case .open(let open, let count) = numbers else { return true }
        let foreignCount = count + (packets.contains { $0.attribute.isMeasurement } ? 1 : 0)
        let isAnswer = open.contains(transaction)
        let isPassing = isAnswer || foreignCount >= Self.foreignLimit
        numbers = isPassing ? .passed : .open(open, foreignCount: foreignCount)
        return isPassing
    }

    // An answer without data uses up its number.
    private mutating func close(_ transaction: UInt8) {
        guard case .open(let open, let count) = numbers else { return }
        numbers = .open(open.subtracting([transaction]), foreignCount: count)
    }

    mutating func step(
        _ window: RawSpan, isLast: Bool, fence: inout Fence, into rows: inout DecodedRows
    ) -> FrameStep {
        guard window.byteCount >= 4 else { return .wait(for: 4) }
        if let step = controlStep(window, into: &rows) { return step }
        guard window.byte(at: 0) & 0x7F == 0x41 else { return skip(.noFrame, window, to: window.byteCount, &rows) }
        switch chain(of: window) {
        case .noFrame: return skip(.noFrame, window, to: window.byteCount, &rows)
        case .unfinished(let count): return .wait(for: count)
        case .whole(let packets, let length):
            for packet in packets where !isSound(packet, in: window) {
                return skip(.check, window, to: length, &rows)
            }
            isAligned = true
            read(packets, window.extracting(0..<length), &fence, into: &rows)
            return .pass(length)
        }
    }

    // Consumes an answer of four bytes. In noise, such bytes would be chance.
    private mutating func controlStep(_ window: RawSpan, into rows: inout DecodedRows) -> FrameStep? {
        guard isAligned else { return nil }
        let argument = window.uint16(at: 2)
        switch window.byte(at: 0) & 0x7F {
        case 0x05 where argument == 0, 0x06 where argument == 0: break
        case 0x41 where argument >> 6 == 0: close(window.byte(at: 1))
        default: return nil
        }
        rows.refuse(.noMeasurement, 4)
        return .pass(4)
    }

    private mutating func read(
        _ packets: [Packet], _ frame: RawSpan, _ fence: inout Fence, into rows: inout DecodedRows
    ) {
        guard letsThrough(frame.byte(at: 1), packets), fence.letsThrough() else {
            return rows.refuse(.stale, frame.byteCount)
        }
        var isMeasurement = false
        for packet in packets {
            let payload = frame.extracting(packet.payload)
            switch packet.attribute {
            case .reading: KM003CReading.append(payload, to: &rows)
            case .queue: queue.append(payload, to: &rows)
            default: continue
            }
            isMeasurement = true
        }
        if isMeasurement { return }
        let isKnown = packets.allSatisfy { [.settings, .powerDelivery, .recordings].contains($0.attribute) }
        rows.refuse(isKnown ? .noMeasurement : .unknownFrame, frame.byteCount)
    }

    // Skips to the next byte that may begin a frame of measurements, at most to `end`.
    private mutating func skip(
        _ reason: DecodedRows.Refusal.Reason, _ window: RawSpan, to end: Int, _ rows: inout DecodedRows
    ) -> FrameStep {
        isAligned = false
        var count = 1
        while count < end, window.byte(at: count) & 0x7F != 0x41 { count += 1 }
        rows.refuse(reason, count)
        return .pass(count)
    }

    // MARK: Packets

    /// A packet in the chain of a frame.
    private struct Packet {
        enum Attribute: Hashable {
            case reading, queue, settings, powerDelivery, recordings, unknown

            var isMeasurement: Bool { self == .reading || self == .queue }
        }

        let attribute: Attribute
        let payload: Range<Int>
    }

    private enum Chain {
        case noFrame
        /// This many bytes are needed to continue.
        case unfinished(Int)
        case whole([Packet], length: Int)
    }

    private func chain(of window: RawSpan) -> Chain {
        var packets: [Packet] = []
        var offset = 4
        while true {
            guard window.byteCount >= offset + 4 else { return .unfinished(offset + 4) }
            let header = window.uint32(at: offset)
            guard let (attribute, byteCount) = Self.packet(header) else { return .noFrame }
            // In noise, only measurements are searched for, since any bytes may be an unknown attribute.
            guard attribute.isMeasurement || !packets.isEmpty || isAligned else { return .noFrame }
            packets.append(Packet(attribute: attribute, payload: offset + 4..<offset + 4 + byteCount))
            offset += 4 + byteCount
            guard offset <= Self.longestFrame - 4 else { return .noFrame }
            if header & 0x8000 == 0 { break }
        }
        // If a packet is unknown, or none is a measurement, the declared length of the frame must at least match.
        let isCertain =
            packets.contains { $0.attribute.isMeasurement } && !packets.contains { $0.attribute == .unknown }
        guard isCertain || Self.lengthIsLikely(window, offset) else { return .noFrame }
        return window.byteCount >= offset ? .whole(packets, length: offset) : .unfinished(offset)
    }

    // Returns the attribute and size that an extended header declares; `nil` if it is inconsistent.
    private static func packet(_ header: UInt32) -> (attribute: Packet.Attribute, byteCount: Int)? {
        let (count, size) = (Int(header >> 16 & 0x3F), Int(header >> 22))
        return switch (header & 0x7FFF, size) {
        case (1, KM003CReading.byteCount) where count == 0: (.reading, size)
        case (2, KM003CQueue.sampleByteCount) where count > 0: (.queue, size * count)
        case (1, _), (2, _): nil
        case (8, 180): (.settings, size)
        case (16, _): (.powerDelivery, size)
        case (0x200, _): (.recordings, size * max(count, 1))
        default: (.unknown, size)
        }
    }

    // The declared quarter of the length is too small by 3 or 4 in all frames seen; 2 to 5 is accepted.
    private static func lengthIsLikely(_ window: RawSpan, _ length: Int) -> Bool {
        let declared = Int(window.uint16(at: 2) >> 6)
        return (declared + 2...declared + 5).contains(length / 4)
    }

    private func isSound(_ packet: Packet, in window: RawSpan) -> Bool {
        let payload = window.extracting(packet.payload)
        if packet.attribute == .queue, !KM003CQueue.ticksAreSound(payload) { return false }
        return !holdsBeginning(payload)
    }

    /// Whether another frame begins in `payload`, whose own end was lost then: a frame of measurements with a
    /// matching length, which no samples of a meter for 50 V and 6 A can resemble.
    private func holdsBeginning(_ payload: RawSpan) -> Bool {
        var offset = 0
        while offset + 8 <= payload.byteCount {
            if payload.byte(at: offset) & 0x7F == 0x41 {
                let packet = Self.packet(payload.uint32(at: offset + 4) & ~0x8000)
                let rest = payload.extracting(offset..<payload.byteCount)
                if let packet, packet.attribute.isMeasurement, Self.lengthIsLikely(rest, 8 + packet.byteCount) {
                    return true
                }
            }
            offset += 1
        }
        return false
    }
}
