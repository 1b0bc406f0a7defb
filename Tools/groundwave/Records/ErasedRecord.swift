import Groundwave
import GroundwaveWording

extension ShownValue {
    /// What is said of a record that was erased, instead of its fields.
    static func ofErased(_ record: RecordID) -> String {
        "Nothing of it is left. When it was erased, and by whom: groundwave history \(record.short)"
    }
}
