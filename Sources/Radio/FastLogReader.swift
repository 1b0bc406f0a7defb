import GroundwaveADIF
import GroundwaveRecords

/// Reads a file of lines as ``FastLog`` describes them.
///
/// A line that is not understood is a rejection with the number of the line; it sets nothing, and the lines behind it are
/// read. A contact before the first date or the first time is one, too.
public struct FastLogReader: Sendable {
    private let limits: ADIFLimits
    private var log = FastLog()
    private var lines = LineBuffer()
    private var number = 0

    /// Creates a reader with these limits.
    public init(limits: ADIFLimits = ADIFLimits()) { self.limits = limits }

    /// Appends the next bytes of the file.
    public mutating func append(_ bytes: [UInt8]) { lines.append(bytes) }

    /// Ends the file.
    public mutating func finish() { lines.finish() }

    /// Returns the next contact or rejected line; `nil` if more bytes are needed, or at the end.
    public mutating func next() -> ADIFItem? {
        while let line = lines.next(limit: limits.fieldByteCount) {
            number += 1
            func rejected(_ code: ADIFRejection.Code) -> ADIFItem {
                .rejected(ADIFRejection(code, recordNumber: number, byteRange: line.range))
            }
            if line.isTooLong { return rejected(.recordTooLong) }
            let read: FastLog.Line
            do { read = try log.read(ValueText(decoding: line.bytes).string) } catch { return rejected(.malformedLine) }
            guard case .contact(let assignments) = read else { continue }
            guard assignments.contains(where: { $0.name == "TIME_ON" }) else { return rejected(.noDate) }
            var fields = ADIFFields()
            for assignment in assignments {
                let name = FieldName(assignment.name)
                guard ADIFFields.accepts(name) else { return rejected(.malformedLine) }
                fields.append(name, value: assignment.value ?? [])
            }
            return .record(ADIFRecord(number: number, byteOffset: line.range.lowerBound, fields: fields))
        }
        return nil
    }
}
