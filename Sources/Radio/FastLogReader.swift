import GroundwaveADIF
import GroundwaveRecords

/// Reads a file of lines as ``FastLog`` describes them.
///
/// A line that is not understood is a rejection with the number of the line; it sets nothing, and the lines behind it are
/// read. A contact before the first date or the first time is one, too.
public struct FastLogReader: Sendable {
    private let limits: ADIFLimits
    private var log = FastLog()
    private var buffer: [UInt8] = []
    private var start = 0
    private var offset: UInt64 = 0
    private var number = 0
    private var isFinished = false
    private var overlong: UInt64?

    /// Creates a reader with these limits.
    public init(limits: ADIFLimits = ADIFLimits()) { self.limits = limits }

    /// Appends the next bytes of the file.
    public mutating func append(_ bytes: [UInt8]) {
        buffer.removeFirst(start)
        start = 0
        buffer += bytes
    }

    /// Ends the file.
    public mutating func finish() { isFinished = true }

    /// Returns the next contact or rejected line; `nil` if more bytes are needed, or at the end.
    public mutating func next() -> ADIFItem? {
        while true {
            let end = buffer[start...].firstIndex(of: 0x0A)
            guard let end = end ?? (isFinished && start < buffer.count ? buffer.count : nil) else {
                if buffer.count - start > limits.fieldByteCount { skipBuffer() }
                return nil
            }
            let begin = overlong ?? offset
            let line = buffer[start..<end]
            let length = Swift.min(end + 1, buffer.count) - start
            start += length
            offset += UInt64(length)
            number += 1
            if overlong != nil {
                overlong = nil
                return rejected(.recordTooLong, begin)
            }
            let text = begin == 0 && line.starts(with: [0xEF, 0xBB, 0xBF]) ? line.dropFirst(3) : line
            let read: FastLog.Line
            do { read = try log.read(ValueText(decoding: text).string) } catch {
                return rejected(.malformedLine, begin)
            }
            guard case .contact(let assignments) = read else { continue }
            guard assignments.contains(where: { $0.name == "TIME_ON" }) else { return rejected(.noDate, begin) }
            var fields = ADIFFields()
            for assignment in assignments {
                let name = FieldName(assignment.name)
                guard ADIFFields.accepts(name) else { return rejected(.malformedLine, begin) }
                fields.append(name, value: assignment.value ?? [])
            }
            return .record(ADIFRecord(number: number, byteOffset: begin, fields: fields))
        }
    }

    private mutating func skipBuffer() {
        overlong = overlong ?? offset
        offset += UInt64(buffer.count - start)
        buffer.removeAll()
        start = 0
    }

    private func rejected(_ code: ADIFRejection.Code, _ begin: UInt64) -> ADIFItem {
        .rejected(ADIFRejection(code, recordNumber: number, byteRange: begin..<offset))
    }
}
