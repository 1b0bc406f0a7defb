extension [Int] {
    /// Up to so many places are sorted by insertion, which is the fastest way for the fields of a contact.
    private static let fewPlaces = 64

    /// Makes these the places 0 to `count` - 1 in the order of `precedes`; equal ones stay in order. Keeps the memory, and
    /// allocates none for few places.
    package mutating func sortPlaces(_ count: Int, by precedes: (_ left: Int, _ right: Int) -> Bool) {
        removeAll(keepingCapacity: true)
        guard count <= Self.fewPlaces else {
            append(contentsOf: 0..<count)
            return sort(by: precedes)
        }
        for index in 0..<count {
            var place = index
            while place > 0, precedes(index, self[place - 1]) { place -= 1 }
            insert(index, at: place)
        }
    }
}
