/// Calls with what stands before and behind them: `DL/W1AW/P` is W1AW in Germany, portable.
package enum CallSign {
    private static let slash = UInt8(ascii: "/")

    /// Returns the station's own call: of the parts between slashes the longest that looks like a call, so that neither a
    /// country before it nor P, 4 or KH6 behind it counts. Of two that are as long, the first names the country.
    ///
    /// Source: prefixes stand before the call since CEPT T/R 61-01.
    ///
    /// - Parameter call: In upper case.
    package static func base(of call: String) -> String {
        String(decoding: base(of: Array(call.utf8)[...]), as: UTF8.self)
    }

    /// As ``base(of:)-(String)``.
    static func base(of call: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard call.contains(slash) else { return call }
        var best: ArraySlice<UInt8> = []
        for part in call.split(separator: slash) where isCall(part) && part.count >= best.count { best = part }
        return best.isEmpty ? call : best
    }

    /// Whether a part looks like a call: at least three characters, among them a digit, and a letter at the end.
    private static func isCall(_ part: ArraySlice<UInt8>) -> Bool {
        guard part.count >= 3, let last = part.last else { return false }
        return (0x41...0x5A).contains(last) && part.contains { (0x30...0x39).contains($0) }
    }
}
