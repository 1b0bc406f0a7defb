import Groundwave
import GroundwaveEvents
import GroundwaveWording

extension SyncStatus.RemoteStatus {
    /// How it stands, in a sentence.
    var sentence: String {
        guard lastSuccess != nil else { return "Not synchronised yet." }
        if isComplete {
            return living.isEmpty
                ? "Everything is pushed; no other device has synced here yet."
                : "Complete: \(living.count == 1 ? "both" : "all \(living.count + 1)") devices have the same events."
        }
        var parts = here.clauses
        let unsent = EventSet(unsent).count
        if unsent > 0 {
            parts.append("\(NumberText.count(unsent, "event")) \(unsent == 1 ? "was" : "were") not pushed yet")
        }
        for device in living { parts += device.clauses }
        if !quarantined.isEmpty {
            parts.append("\(NumberText.count(quarantined.count, "device")) quarantined")
        }
        if failure != nil { parts.append("the last attempt failed") }
        return "Not complete: \(parts.joined(separator: "; "))."
    }
}

extension SyncStatus.Device {
    fileprivate var clauses: [String] {
        var parts: [String] = []
        if !missing.isEmpty { parts.append("\(name) is missing \(NumberText.count(EventSet(missing).count, "event"))") }
        if !wanted.isEmpty {
            parts.append("\(name) waits for the values of \(NumberText.count(EventSet(wanted).count, "event"))")
        }
        if !differs.isEmpty { parts.append("\(name) has a different history") }
        return parts
    }
}

extension Shortfall {
    /// What is missing here, in clauses.
    fileprivate var clauses: [String] {
        var parts: [String] = []
        let (pending, lost) = (pending.count, lost.count)
        let absent = events.count - lost
        if absent > 0 {
            let waiting =
                pending == 0
                ? "" : ", \(pending) of which \(pending == 1 ? "waits" : "wait") for the others"
            parts.append("\(NumberText.count(absent, "event")) \(absent == 1 ? "is" : "are") not here yet\(waiting)")
        }
        if lost > 0 {
            parts.append(
                "\(NumberText.count(lost, "event")) \(lost == 1 ? "was" : "were") lost here with a damaged file")
        }
        if values > 0 { parts.append("the values of \(NumberText.count(values, "event")) are missing here") }
        if unclearErasures > 0 {
            parts.append("\(NumberText.count(unclearErasures, "event")) may have been erased elsewhere")
        }
        return parts
    }
}
