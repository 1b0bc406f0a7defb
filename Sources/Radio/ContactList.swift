import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords

/// The contacts of a query in its order, kept up to date by reading again only the records that were touched.
package struct ContactList: Sendable {
    private let query: ContactQuery
    private let contact: @Sendable (Record) -> Contact
    /// As ``ViewReader/all(_:)`` returned them at the last read.
    package private(set) var contacts: [Contact] = []
    /// The place of each contact, in the same order.
    private var places: [Place] = []
    private var placeOfContact: [RecordID: Place] = [:]

    /// - Parameter contact: Makes a contact of its record.
    package init(_ query: ContactQuery, contact: @escaping @Sendable (Record) -> Contact = { Contact($0) }) {
        (self.query, self.contact) = (query, contact)
    }

    /// By what contacts are ordered: that of the index which answers the query.
    private struct Place: Hashable, Comparable {
        /// The key in the index of times; the start alone if the query asks for calls, whose index has no more.
        let key: (UInt64, UInt64)
        let id: RecordID

        static func == (left: Place, right: Place) -> Bool { left.key == right.key && left.id == right.id }

        static func < (left: Place, right: Place) -> Bool {
            left.key == right.key ? left.id < right.id : left.key < right.key
        }

        func hash(into hasher: inout Hasher) { hasher.combine(id) }
    }

    private func place(_ id: RecordID, _ values: borrowing ShownValues) -> Place {
        let key = ContactIndex.timeKey(of: values).span.bytes
        let facts = query.isOfAnyStation ? key.bigEndianUInt64(at: 6) & 0xFFFF_FFFF_FFFF : 0
        return Place(key: (key.bigEndianUInt64(at: 0), facts), id: id)
    }

    /// Reads all contacts; returns whether any differs. If it throws, the list is unchanged.
    ///
    /// - Complexity: As ``ViewReader/all(_:)``.
    package mutating func read(_ view: borrowing ViewReader) throws -> Bool {
        var (contacts, places): ([Contact], [Place]) = ([], [])
        try view.forEachShownContactFromLatest(query) { id, values in
            contacts.append(contact(values.record(QSOKind.name, id)))
            places.append(place(id, values))
            return true
        }
        contacts.reverse()
        places.reverse()
        placeOfContact = Dictionary(places.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        self.places = places
        defer { self.contacts = contacts }
        return contacts != self.contacts
    }

    /// Reads the contacts `touched` again, whether they are part of the list or not; returns whether any differs. If it
    /// throws, the list is unchanged.
    ///
    /// - Complexity: A look-up for each of them, and a copy of the list if any differs. A limited query is read as a
    ///   whole if one of them is among its contacts, or belongs there now.
    package mutating func update(_ view: borrowing ViewReader, touched: Set<RecordID>) throws -> Bool {
        var edit = ListEdit<Contact, Place>()
        var isMoved = false
        var values = view.shownValues(of: QSOKind.name)
        for id in touched {
            let former = placeOfContact[id]
            guard try view.read(id, of: QSOKind.name, into: &values), query.matches(values) else {
                if let former { edit.leaving.append(index(of: former)) }
                continue
            }
            let (place, contact) = (place(id, values), contact(values.record(QSOKind.name, id)))
            if let former {
                let index = index(of: former)
                if contacts[index] == contact {
                    if former == place { continue }
                    isMoved = true
                }
                edit.leaving.append(index)
            } else if isFull, let first = places.first, place < first {
                continue
            }
            edit.coming.append((index(of: place), contact, place))
        }
        if edit.isEmpty { return false }
        if query.limit != nil { return try read(view) }
        return apply(edit, isMoved)
    }

    /// Whether the list has as many contacts as the query asks for.
    private var isFull: Bool { query.limit.map { contacts.count >= $0 } ?? false }

    /// - Parameter isMoved: Whether a contact that comes may equal one that leaves.
    private mutating func apply(_ edit: ListEdit<Contact, Place>, _ isMoved: Bool) -> Bool {
        let former = contacts
        for index in edit.leaving { placeOfContact[places[index].id] = nil }
        for entry in edit.coming { placeOfContact[entry.place.id] = entry.place }
        (contacts, places) = edit.applied(to: contacts, places)
        return !isMoved || contacts != former
    }

    /// The index of a contact in the list, or the one before which a new one comes.
    private func index(of place: Place) -> Int {
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if places[middle] < place { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// Changes of a sorted list: which of its elements leave, and which come where.
private struct ListEdit<Element, Place: Comparable> {
    /// The indices of the elements that leave.
    var leaving: [Int] = []
    /// New elements, each with the index in the former list before which it comes.
    var coming: [(index: Int, element: Element, place: Place)] = []

    var isEmpty: Bool { leaving.isEmpty && coming.isEmpty }

    /// Returns the list with these changes, and the places of its elements. Cost: two copies.
    func applied(to elements: [Element], _ places: [Place]) -> ([Element], [Place]) {
        let leaving = leaving.sorted()
        let coming = coming.sorted { $0.place < $1.place }
        let count = elements.count - leaving.count + coming.count
        var (newElements, newPlaces) = ([Element](), [Place]())
        newElements.reserveCapacity(count)
        newPlaces.reserveCapacity(count)
        var (next, left, come) = (0, 0, 0)
        while next < elements.count || come < coming.count {
            let leaves = left < leaving.count ? leaving[left] : elements.count
            let comes = come < coming.count ? coming[come].index : elements.count
            let end = Swift.min(leaves, comes)
            newElements.append(contentsOf: elements[next..<end])
            newPlaces.append(contentsOf: places[next..<end])
            next = end
            if come < coming.count, comes == end {
                newElements.append(coming[come].element)
                newPlaces.append(coming[come].place)
                come += 1
            } else if left < leaving.count {
                next += 1
                left += 1
            }
        }
        return (newElements, newPlaces)
    }
}
