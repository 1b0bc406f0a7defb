import GroundwaveADIF
import GroundwaveByteCoding
import GroundwaveRecords

/// Which ADIF fields a contact shows, and in which order.
///
/// Most contacts of a log have one of few layouts, so a walk finds the layout of a contact by comparing, and what depends
/// on it alone, such as the order of columns, is computed once: see ``LayoutMemo``.
package final class ContactLayout: Sendable {
    /// The names of the fields, in the order of the source, then those added since. Each occurs once.
    package let names: [FieldName]
    /// Which part of the contact is the value of each field; -1 for a list without elements.
    let parts: [Int]
    /// The heads that contacts of this layout have: see ``ContactParts``.
    let heads: [UInt64]
    /// What such contacts say of the order of their source; `nil` for nothing.
    let order: [UInt8]?

    init(_ fields: [(name: FieldName, part: Int)], heads: [UInt64], order: [UInt8]?) {
        names = fields.map(\.name)
        parts = fields.map(\.part)
        (self.heads, self.order) = (heads, order)
    }
}

/// Numbers that depend on the layout of a contact alone, for each of the layouts that were met last.
package struct LayoutMemo: ~Copyable {
    private var known: [(layout: ContactLayout, numbers: [Int])] = []
    private var next = 0

    /// No numbers.
    package init() {}

    /// The numbers of `layout`, which `make` makes if they are not known.
    package mutating func of(_ layout: ContactLayout, make: (ContactLayout) -> [Int]) -> [Int] {
        if let known = known.first(where: { $0.layout === layout }) { return known.numbers }
        let numbers = make(layout)
        if known.count < ShownFields.mostLayouts {
            known.append((layout, numbers))
        } else {
            known[next] = (layout, numbers)
            next = (next + 1) % known.count
        }
        return numbers
    }
}

/// The heads of a contact as its layout sees them, and where their values lie.
struct ContactParts: ~Copyable {
    /// A value among those of the contact: of a plain field, or of a member of a register.
    struct Part {
        var range: Range<Int>
        /// The index of the member; `nil` for a plain field.
        var member: Int?
    }

    /// For each head, but those of the import key and the session: its field, shifted by 9 bits, and bit 8 if it has a
    /// value. After a register, for each of its members that has a value: the index of the member, and bit 63.
    private(set) var heads: [UInt64] = []
    /// The values, as they come.
    private(set) var parts: [Part] = []
    /// For each head of the contact, the number of parts before it.
    private(set) var starts: [Int] = []
    /// Where the order of the source lies, by its last head; `nil` if the contact says nothing of it.
    private(set) var order: Range<Int>?

    /// The parts of the head at `place` in the state of the contact.
    func parts(ofHead place: Int) -> ArraySlice<Part> {
        parts[starts[place]..<(place + 1 < starts.count ? starts[place + 1] : parts.count)]
    }

    mutating func read(_ contact: borrowing ShownValues) {
        heads.removeAll(keepingCapacity: true)
        parts.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
        order = nil
        let bytes = contact.state.values.span.bytes
        for head in contact.state.heads {
            starts.append(parts.count)
            let hasValue = head.code.hasValue && !head.isWithheld
            let isOrder = head.field == QSOKind.Number.order
            if QSOKind.isInternal(head.field), !isOrder { continue }
            heads.append(UInt64(head.field) << 9 | (hasValue ? 1 << 8 : 0))
            guard hasValue else { continue }
            if isOrder {
                order = head.value
            } else if QSOKind.isRegister(head.field) {
                appendMembers(of: bytes.extracting(head.value), at: head.value.lowerBound)
            } else {
                parts.append(Part(range: head.value, member: nil))
            }
        }
    }

    private mutating func appendMembers(of register: RawSpan, at start: Int) {
        Register.forEachMember(of: register) { member, range in
            heads.append(1 << 63 | UInt64(member))
            parts.append(Part(range: (start + range.lowerBound)..<(start + range.upperBound), member: member))
        }
    }
}
