import GroundwaveADIF
import GroundwaveByteCoding
import GroundwaveRecords

/// The ADIF fields that contacts show, one contact after the other: what ``Record/adifFields`` says of one, without its
/// memory for each contact.
///
/// The fields are those of the source in their order, then those added since. Each name occurs once. Values that were not
/// edited are the bytes of the source; internal fields are left out.
package struct ShownFields: ~Copyable {
    /// The layout of the contact that was read last.
    package private(set) var layout = ContactLayout([], heads: [], order: nil)

    private var layouts: [ContactLayout] = []
    private var nextLayout = 0
    private var parts = ContactParts()
    /// The shown values of a contact that has several heads in one field, and where they lie.
    private var chosen: (bytes: [UInt8], ranges: [Range<Int>])?
    private var heads: [Int] = []
    /// The names of fields that have no number in the schema, by their local number.
    private var names: [FieldOrdinal: FieldName] = [:]

    /// So many layouts are remembered.
    static let mostLayouts = 16

    /// Room for the fields of a contact.
    package init() {}

    /// Finds the fields of `contact`, which all other functions are then about.
    package mutating func read(_ contact: borrowing ShownValues) {
        parts.read(contact)
        chosen = nil
        if fits(layout, contact) { return }
        if let known = layouts.first(where: { fits($0, contact) }) {
            layout = known
            return
        }
        contact.sortHeads(into: &heads)
        if hasSeveralHeads(contact) { return choose(contact) }
        let order = parts.order.map { Array(contact.state.values[$0]) }
        layout = ContactLayout(arranged(fields(of: contact), order, contact), heads: parts.heads, order: order)
        if layouts.count < Self.mostLayouts {
            layouts.append(layout)
        } else {
            layouts[nextLayout] = layout
            nextLayout = (nextLayout + 1) % layouts.count
        }
    }

    /// The bytes in which the values lie: see ``range(at:)``. To be kept no longer than the contact, whose bytes they are.
    package func bytes(of contact: borrowing ShownValues) -> [UInt8] { chosen?.bytes ?? contact.state.values }

    /// Where the value of the field at a place of the layout lies.
    package func range(at place: Int) -> Range<Int> {
        let part = layout.parts[place]
        if part < 0 { return 0..<0 }
        return chosen?.ranges[part] ?? parts.parts[part].range
    }

    private func fits(_ layout: ContactLayout, _ contact: borrowing ShownValues) -> Bool {
        guard parts.heads == layout.heads else { return false }
        guard let order = parts.order else { return layout.order == nil }
        let bytes = contact.state.values.span.bytes.extracting(order)
        return layout.order?.withSpan { bytes.elementsEqual($0) } ?? false
    }

    /// Whether a field has several heads; `heads` are in order of their fields.
    private func hasSeveralHeads(_ contact: borrowing ShownValues) -> Bool {
        heads.indices.dropFirst().contains {
            contact.state.heads[heads[$0]].field == contact.state.heads[heads[$0 - 1]].field
        }
    }

    /// A field of the contact in order of keys: its local number, which of the members of a register it is, and its part.
    private typealias Shown = (field: FieldOrdinal, member: Int?, part: Int)

    /// The fields of a contact that has one head in each.
    private func fields(of contact: borrowing ShownValues) -> [Shown] {
        var fields: [Shown] = []
        for head in heads {
            let field = contact.state.heads[head].field
            let own = parts.parts(ofHead: head)
            guard let members = QSOKind.members(of: field) else {
                for part in own.indices { fields.append((field, nil, part)) }
                continue
            }
            // In order of the members: a register that was completed may have them in another one.
            for member in members.indices {
                if let part = own.lastIndex(where: { $0.member == member }) { fields.append((field, member, part)) }
            }
        }
        return fields
    }

    /// Finds the fields of a contact with several heads in a field, whose policy chooses among them.
    private mutating func choose(_ contact: borrowing ShownValues) {
        var bytes: [UInt8] = []
        var ranges: [Range<Int>] = []
        var fields: [Shown] = []
        func append(_ field: FieldOrdinal, _ member: Int?, _ value: ArraySlice<UInt8>) {
            ranges.append(bytes.count..<(bytes.count + value.count))
            bytes += value
            fields.append((field, member, ranges.count - 1))
        }
        contact.forEachField(in: heads) { field, value in
            guard let value, !QSOKind.isInternal(field) else { return }
            guard let members = QSOKind.members(of: field) else { return append(field, nil, value) }
            for member in members.indices {
                if let value = Register.member(member, of: value) { append(field, member, value) }
            }
        }
        let order = contact.value(QSOKind.Number.order).map { Array($0) }
        chosen = (bytes, ranges)
        // Of no other contact: these heads do not say which value is shown.
        layout = ContactLayout(arranged(fields, order, contact), heads: [.max], order: nil)
    }

    /// Returns the names of `fields` with their parts, in the order of the source, then in order of keys.
    private mutating func arranged(
        _ fields: [Shown], _ order: [UInt8]?, _ contact: borrowing ShownValues
    ) -> [(name: FieldName, part: Int)] {
        var places: [FieldName: Int] = [:]
        var shown: [(name: FieldName, part: Int, isTaken: Bool)] = []
        for (field, member, part) in fields {
            let name = member.flatMap { QSOKind.members(of: field)?[$0] } ?? name(of: field, contact)
            // A name may be that of a field that has a number, too, or differ from another one in case.
            if places[name] == nil {
                places[name] = shown.count
            } else if member == nil, field > Self.lastKnown {
                continue
            }
            shown.append((name, part, false))
        }
        var arranged: [(name: FieldName, part: Int)] = []
        FieldOrder.forEachName(in: order?[...] ?? []) { known, spelling in
            let name = known ?? FieldName(bytes: spelling)
            if let place = places[name], !shown[place].isTaken {
                shown[place].isTaken = true
                arranged.append((name, shown[place].part))
            } else if QSOKind.collectionNames.contains(name), !contact.hasHead(of: name) {
                // A list without elements has no heads, so only the order shows that the source had it.
                arranged.append((name, -1))
            }
        }
        return arranged + shown.lazy.filter { !$0.isTaken }.map { ($0.name, $0.part) }
    }

    private static let lastKnown = FieldOrdinal(FieldName.maximumNumber)

    private mutating func name(of field: FieldOrdinal, _ contact: borrowing ShownValues) -> FieldName {
        if let known = QSOKind.plainField(field) { return known }
        if let known = names[field] { return known }
        let name = FieldName(QSOKind.schema.name(of: contact.names.field(field)))
        names[field] = name
        return name
    }
}

extension ShownValues {
    fileprivate func hasHead(of known: FieldName) -> Bool {
        state.heads.contains { $0.field == FieldOrdinal(known.number) }
    }
}
