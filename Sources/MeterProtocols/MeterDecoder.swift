import GroundwaveByteCoding

/// Decodes the bytes that a meter sends into rows.
///
/// Bytes may arrive in pieces of any size; the rows do not depend on how they were cut. Bytes that belong to no frame
/// are skipped and reported as refusals, and the frames after them are found. No input stops the decoder, or makes it
/// keep more bytes than the longest frame of a KM003C has, 2,544, or than two frames of any other meter have.
///
/// # Reliability of a row
/// A check of eight bits (UM34C, FNIRSI, Atorch) holds for one damaged frame in 256; the end of a UM24C's and a
/// UM25C's frame only shows that no byte is missing; a KM003C relies on the checks of USB. The three checks of a
/// TC66C leave no doubt.
///
/// ```swift
/// var decoder = MeterModel.um25c.makeDecoder()
/// var rows = DecodedRows()
/// decoder.begin(into: &rows)          // The connection is established.
/// decoder.asked()                     // The first poll was sent.
/// decoder.take(bytes, into: &rows)    // Whenever bytes arrive.
/// decoder.finish(into: &rows)         // The connection is closed.
/// ```
///
/// # Bytes from before a connection
/// Bytes of an earlier connection may be held in a buffer and arrive first. ``begin(into:)`` refuses the incomplete
/// frame that the decoder keeps as stale. After it, these are also stale:
///
/// | meter | stale |
/// | --- | --- |
/// | UM24C, UM25C, UM34C, TC66C | all that arrives before the first ``asked(transaction:)`` |
/// | FNIRSI by USB | the same, and the first report of measurements after it, since the meter has its own queue |
/// | FNIRSI by Bluetooth | all that arrives before the first ``asked(transaction:)`` |
/// | KM003C | the same, and if numbers are given, two frames at most before the first whose number was requested |
/// | Atorch | nothing more: it is never polled; a frame whose beginning is missing is no frame |
///
/// So after connecting, the caller reads all bytes that are already there, passes them to ``consume(_:into:)``, and
/// only then sends a request.
public struct MeterDecoder: Sendable {
    /// The model whose frames are decoded.
    public let model: MeterModel
    /// The link over which the frames arrive.
    public let link: MeterModel.Link

    private var reader: FrameReader<MeterFormat>

    init(_ model: MeterModel, over link: MeterModel.Link) {
        self.model = model
        self.link = link
        let format = MeterFormat(model, over: link)
        reader = FrameReader(format, fence: format.newFence)
    }

    /// Reads `bytes`, which follow those of the previous call, and appends the complete frames in them to `rows`.
    ///
    /// - Complexity: O(*n*) for *n* bytes; noise for a TC66C takes one AES block a byte.
    public mutating func consume(_ bytes: RawSpan, into rows: inout DecodedRows) { reader.consume(bytes, into: &rows) }

    /// Ends a stream: reads the frames that were kept because more bytes might follow, and refuses the rest.
    ///
    /// Another stream may follow. It is the same connection: earlier requests still count, but not their numbers.
    public mutating func finish(into rows: inout DecodedRows) { reader.finish(into: &rows) }

    /// Reports a new connection. Bytes that arrive from here on may still be from before it.
    ///
    /// The incomplete rest of a frame goes into `rows` as stale. All state from earlier frames is discarded.
    public mutating func begin(into rows: inout DecodedRows) {
        reader.begin(into: &rows)
        if isNeverAsked { reader.fence.open() }
    }

    /// Reports that a request was sent to the meter: a poll, or the commands that start it.
    ///
    /// - Parameter transaction: The number of the request, for a KM003C. Frames with other numbers are stale until the
    ///   first answer to it. The third of them passes: then another program requests measurements from the meter.
    public mutating func asked(transaction: UInt8? = nil) {
        reader.fence.open()
        if let transaction { reader.format.asked(transaction) }
    }

    /// The number of bytes kept for the next call.
    var keptByteCount: Int { reader.kept.count }

    private var isNeverAsked: Bool { model == .atorch }
}
