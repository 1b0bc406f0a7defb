/// How the segments of a store become packs.
package struct Packing: Sendable {
    /// The number of segments that are left as they are: a device that looks often reads these.
    package var keptSegments: UInt64 = 32
    /// The number of segments beyond these at which they are packed.
    package var segments: UInt64 = 32
    /// The size of the ranges in a pack at which another one begins, in bytes, before they are made anew.
    package var preferredBytes = 3 << 20

    /// The usual one.
    package init() {}

    /// Returns the number of the first segment to pack: the packs at the end become part of the new one while they are not
    /// much larger than what follows them. So few packs remain, and each event is packed again only as often as the packs
    /// double in size.
    ///
    /// - Parameter byteCount: The size of the segments that are to be packed behind `packs`.
    func first(after packs: [Catalog.Pack], packing byteCount: Int) -> UInt64 {
        var (rest, byteCount) = (packs[...], byteCount)
        while let pack = rest.last, pack.byteCount <= 2 * byteCount, pack.byteCount + byteCount <= preferredBytes {
            byteCount += pack.byteCount
            rest.removeLast()
        }
        return (rest.last?.last ?? 0) + 1
    }
}
