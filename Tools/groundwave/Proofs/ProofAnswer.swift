import Groundwave
import GroundwaveLogbook
import GroundwaveWording

/// What is said of a proof.
struct ProofAnswer: Encodable {
    struct Event: Encodable {
        var event: String
        var stamp: String
        var author: String?
        var note: String?
        var imported: Bool
        var withheld: Bool
    }

    struct Tree: Encodable {
        var replica: String
        var root: String
        var events: UInt64?
        var log: String?
        var anchored: Bool
        var headEvents: UInt64?
    }

    var ok: Bool
    var anchored = false
    var reason: String?
    var root: String?
    var id: String?
    var hidden: Bool?
    var erased: Bool?
    var fields: [String: String]?
    var withheld: [String]?
    var events: [Event]?
    var trees: [Tree]?

    /// A proof that does not hold.
    init(reason: String) {
        ok = false
        self.reason = reason
    }

    /// A proof that holds, as far as `anchors` say.
    init(_ contact: ProvenContact, _ anchors: [ProofAnchor]) {
        ok = true
        anchored = anchors.allSatisfy(\.holds)
        root = contact.trees.first.map { "\($0.root)" }
        id = "\(contact.record.id)"
        hidden = !contact.record.isVisible
        erased = contact.isErased
        fields = contact.record.contactFields
        withheld = contact.withheldFields
        events = contact.events.map { event in
            Event(
                event: "\(event.id)", stamp: UTCText.milliseconds(event.stamp.milliseconds),
                author: event.note.author.isEmpty ? nil : event.note.author,
                note: event.note.text.isEmpty ? nil : event.note.text, imported: event.isImported,
                withheld: event.isWithheld)
        }
        trees = zip(contact.trees, anchors).map { tree, anchor in
            // Without a signature or a head a number of events is only a claim.
            let isSure = tree.head != nil || anchor == .sameTree
            return Tree(
                replica: "\(tree.replica)", root: "\(tree.root)", events: isSure ? tree.events : nil,
                log: tree.head.map { "\($0.log)" }, anchored: anchor.holds, headEvents: anchor.headEvents)
        }
    }
}

extension ProofAnchor {
    /// How many events the head has that was compared.
    var headEvents: UInt64? {
        switch self {
        case .none, .sameTree: nil
        case .grownFrom(let events), .otherSize(let events): events
        }
    }
}
