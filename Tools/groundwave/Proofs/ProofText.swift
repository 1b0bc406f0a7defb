import Groundwave
import GroundwaveLogbook
import GroundwaveWording

// A proof for people.
extension ProofAnswer {
    /// Prints it for people.
    func describe(_ contact: ProvenContact, _ anchors: [ProofAnchor]) throws {
        let state = contact.isErased ? "  erased" : contact.record.isVisible ? "" : "  hidden"
        try Terminal.print("\(contact.record.id)\(state)")
        var table = TextTable(["FIELD", "VALUE"])
        for (name, value) in contact.record.adifFields {
            table.append([name.name, RecordText.short(RecordText.text(value), 60)])
        }
        for name in contact.withheldFields { table.append([name, "(withheld)"]) }
        try table.print()
        try Terminal.print("")
        var events = TextTable(["EVENT", "UTC", "WHO", "NOTE"])
        for event in contact.events {
            events.append([
                event.id.short, TimeText.milliseconds(event.stamp.milliseconds), event.note.author,
                RecordText.short(event.note.text, 40),
            ])
        }
        try events.print()
        try Terminal.print("")
        try Terminal.print(
            "\(NumberText.count(contact.events.count, "event")) of this contact \(contact.events.count == 1 ? "is" : "are") "
                + "in the log with this root:")
        for (tree, anchor) in zip(contact.trees, anchors) {
            try Terminal.print("\(tree.replica.short)  \(tree.root)  \(Self.words(tree, anchor))")
        }
        try Terminal.print(
            anchored
                ? Terminal.styled("Proven and anchored.", .green)
                : Terminal.styled("Proven, but not anchored:", .yellow)
                    + " the maker of this file may have made up the log.")
        if let advice = Self.advice(anchors) { Terminal.remark("\(advice)") }
    }

    private static func words(_ tree: ContactProof.Tree, _ anchor: ProofAnchor) -> String {
        switch anchor {
        case .sameTree: "the same as in the head"
        case .grownFrom(let events): "continues the head's \(NumberText.count(events, "event"))"
        case .none: tree.head == nil ? "not signed" : "signed with that device's own key"
        case .otherSize(let events):
            "the head covers \(NumberText.count(events, "event")), the proof a different number"
        }
    }

    private static func advice(_ anchors: [ProofAnchor]) -> String? {
        let isOtherSize = anchors.contains { if case .otherSize = $0 { true } else { false } }
        if isOtherSize {
            return "Send your head to the owner and ask them to run: groundwave prove ID --head FILE"
        }
        guard anchors.contains(.none) else { return nil }
        return "Get the signed head of the owner (groundwave head) through another channel, and add it with --head."
    }
}
