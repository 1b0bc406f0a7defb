extension MeterModel {
    /// Returns the models whose frames over any of their links `bytes` look like; empty if there is none.
    ///
    /// The bytes may begin and end within a frame. Models of one family may have the same frames.
    ///
    /// - Complexity: Each decoder reads all bytes once; a few kilobytes suffice.
    package static func candidates(for bytes: [UInt8]) -> [MeterModel] {
        var found: [(model: MeterModel, refused: Int)] = []
        for model in allCases {
            let refused = model.links.compactMap { model.refusedByteCount(of: bytes, over: $0) }.min()
            if let refused { found.append((model, refused)) }
        }
        let least = found.map(\.refused).min()
        return found.filter { $0.refused == least }.map(\.model)
    }

    // The number of bytes that are no frames of this model; `nil` if too few are. Most checks have eight bits or fewer,
    // so one frame may be chance; the three checks of a TC66C are none.
    private func refusedByteCount(of bytes: [UInt8], over link: Link) -> Int? {
        var (decoder, rows) = (makeDecoder(over: link), DecodedRows())
        decoder.consume(bytes.span.bytes, into: &rows)
        decoder.finish(into: &rows)
        let refused = rows.refusals.reduce(0) { $0 + $1.byteCount }
        let count = rows.runs.reduce(0) { $0 + $1.count }
        return count >= (self == .tc66c ? 1 : 2) && 2 * refused < bytes.count ? refused : nil
    }
}
