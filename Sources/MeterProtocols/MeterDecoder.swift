import GroundwaveByteCoding

/// Makes rows of what a meter sends.
///
/// Bytes go in as they arrive, in any pieces: the same rows come out however they were cut. Bytes that are no frame are
/// passed over, and told; the frames behind them are found. Nothing that arrives stops the decoder, or makes it keep
/// more than the longest frame of a KM003C, 2,544 bytes, or two frames of any other meter.
///
/// # How sure a row is
/// A check of eight bits (UM34C, FNIRSI, Atorch) holds for one damaged frame in 256; the end of a UM24C's and a UM25C's
/// frame tells only that no byte is missing; a KM003C leaves checking to USB. The three checks of a TC66C leave no
/// doubt.
///
/// ```swift
/// var decoder = MeterModel.um25c.makeDecoder()
/// var rows = DecodedRows()
/// decoder.begin(into: &rows)          // The connection stands.
/// decoder.asked()                     // The first poll has been written.
/// decoder.take(bytes, into: &rows)    // As often as bytes come.
/// decoder.finish(into: &rows)         // The connection is gone.
/// ```
///
/// # What is from before a connection
/// Bytes of an earlier connection may lie in a buffer on the way and arrive first. What ``begin(into:)`` finds kept is
/// refused as stale, and so is:
///
/// | meter | what is stale after it |
/// | --- | --- |
/// | UM24C, UM25C, UM34C, TC66C | all that arrives before the first ``asked(transaction:)``: an answer comes after its question |
/// | FNIRSI by USB | the same, and the first report behind it, since the meter has a queue of its own |
/// | FNIRSI by Bluetooth | all that arrives before the first ``asked(transaction:)`` |
/// | KM003C | the same, and each frame with a number that no open question has, where numbers are given |
/// | Atorch | nothing more: it is never asked; a frame whose beginning is missing is no frame |
///
/// So whoever connects reads what is there, gives it to ``take(_:into:)``, and only then asks.
public struct MeterDecoder: Sendable {
    /// Whose frames these are.
    public let model: MeterModel
    /// By which way they come.
    public let link: MeterModel.Link

    private var reader: FrameReader<MeterFormat>

    init(_ model: MeterModel, over link: MeterModel.Link) {
        self.model = model
        self.link = link
        let format = MeterFormat(model, over: link)
        reader = FrameReader(format, fence: format.newFence)
    }

    /// Reads `bytes`, which follow those of the call before, and appends to `rows` what is whole in them.
    ///
    /// - Complexity: O(*n*) for *n* bytes; noise for a TC66C takes one AES block a byte.
    public mutating func take(_ bytes: RawSpan, into rows: inout DecodedRows) { reader.take(bytes, into: &rows) }

    /// Refuses what is left over, as no more bytes follow. Another stream may follow then, let through as this one was.
    public mutating func finish(into rows: inout DecodedRows) { reader.finish(into: &rows) }

    /// Says that a connection was made just now, and that what arrives from here on may still be from before it.
    ///
    /// What is kept of a frame goes into `rows` as stale. Nothing that the decoder has learnt from earlier frames is
    /// left.
    public mutating func begin(into rows: inout DecodedRows) {
        reader.begin(into: &rows)
        if isNeverAsked { reader.fence.open() }
    }

    /// Says that the meter has been asked: a poll, or the commands that start it, have been sent.
    ///
    /// - Parameter transaction: The number of the request, for a KM003C. Once one was given since the beginning, frames
    ///   with other numbers are stale.
    public mutating func asked(transaction: UInt8? = nil) {
        reader.fence.open()
        if let transaction { reader.format.asked(transaction) }
    }

    /// How many bytes are kept for the next call.
    var keptByteCount: Int { reader.kept.count }

    private var isNeverAsked: Bool { model == .atorch }
}
