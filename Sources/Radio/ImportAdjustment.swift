import ADIF
import Records

/// The changes that `--set` and `--shift` make to every record of a file before it is compared.
public struct ImportAdjustment: Sendable {
    private let assignments: [Assignment]
    private let shiftMinutes: Int

    /// Creates an adjustment that sets fields, overriding the file, and adds minutes to start and end.
    public init(assignments: [Assignment], shiftMinutes: Int) {
        self.assignments = assignments
        self.shiftMinutes = shiftMinutes
    }

    /// Returns `fields` with the changes; the order is preserved, and new fields are appended.
    public func applied(to fields: ADIFFields) -> ADIFFields {
        var changed: [FieldName: [UInt8]] = [:]
        for (date, time) in [(FieldName.qsoDate, FieldName.timeOn), (.qsoDateOff, .timeOff)] where shiftMinutes != 0 {
            guard let oldDate = fields[date].flatMap({ ADIFDate($0.value) }),
                let oldTime = fields[time].flatMap({ ADIFTime($0.value) })
            else { continue }
            let seconds = ADIFDateTime(date: oldDate, time: oldTime).unixSeconds + Int64(shiftMinutes) * 60
            let moved = ContactTime.text(seconds: seconds)
            changed[date] = Array(moved.date.utf8)
            // Keep the number of digits.
            changed[time] = Array(moved.time.utf8.prefix(oldTime.second == nil ? 4 : 6))
        }
        for assignment in assignments { changed[FieldName(assignment.name)] = assignment.value ?? [] }
        var result = ADIFFields()
        for field in fields {
            if let value = changed.removeValue(forKey: field.name) {
                result.append(field.name, value: value)
            } else {
                result.append(field)
            }
        }
        for assignment in assignments {
            let name = FieldName(assignment.name)
            if let value = changed.removeValue(forKey: name) { result.append(name, value: value) }
        }
        return result
    }
}
