import GroundwaveLogbook

/// A line of `groundwave listen --json`.
struct ReceptionLine: Encodable {
    var event: String
    var ports: [Int]?
    var program: String?
    var outcome: String?
    var id: String?
    var call: String?
    var written: String?
    var dupe: String?
    var contradicted: [String]?
    var counts: ReceptionCounts?
}

/// How many messages of logging programs had which outcome.
struct ReceptionCounts: Encodable {
    var new = 0
    var changed = 0
    var known = 0
    var hidden = 0
    var erased = 0
    var deleted = 0
    /// Contacts that could not be written.
    var refused = 0
    /// Messages about contacts that could not be read, or came too fast.
    var unread = 0
    /// Datagrams of no known program.
    var foreign = 0

    mutating func count(_ outcome: ReceivedContact.Outcome) {
        switch outcome {
        case .new: new += 1
        case .changed: changed += 1
        case .known: known += 1
        case .hidden: hidden += 1
        case .erased: erased += 1
        }
    }
}
