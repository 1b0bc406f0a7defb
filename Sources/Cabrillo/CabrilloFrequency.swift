import GroundwaveADIF

/// The first column of a contact in Cabrillo: a frequency in kilohertz up to 30 MHz, above it the name of a band.
///
/// Source: Cabrillo 3.0 specification (WWROF), "QSO data", `freq`.
enum CabrilloFrequency {
    private static let names: [(word: String, band: Band)] = [
        ("50", .metres6), ("70", .metres4), ("144", .metres2), ("222", .centimetres125), ("432", .centimetres70),
        ("902", .centimetres33), ("1.2G", .centimetres23), ("2.3G", .centimetres13), ("3.4G", .centimetres9),
        ("5.7G", .centimetres6), ("10G", .centimetres3), ("24G", .millimetres12), ("47G", .millimetres6),
        ("75G", .millimetres4), ("122G", .millimetres2p5), ("123G", .millimetres2p5), ("134G", .millimetres2),
        ("241G", .millimetres1), ("LIGHT", .submillimetre),
    ]

    /// A band alone, for a contact whose frequency is not known.
    private static let bands: [(kilohertz: Int64, band: Band)] = [
        (1800, .metres160), (3500, .metres80), (7000, .metres40), (14000, .metres20), (21000, .metres15),
        (28000, .metres10),
    ]

    /// Returns the band of a word and, unless it is that of the band alone, its frequency in MHz; `nil` if it is neither.
    static func read(_ word: String) -> (band: String?, megahertz: String?)? {
        if let name = names.first(where: { $0.word == word }) { return (name.band.name, nil) }
        guard word.utf8.count <= 9, ExchangeElement.isNumber(word), let kilohertz = Int64(word), kilohertz > 0 else {
            return nil
        }
        if let band = bands.first(where: { $0.kilohertz == kilohertz })?.band { return (band.name, nil) }
        let frequency = Frequency(hertz: kilohertz * 1000)
        return (Band(containing: frequency)?.name, frequency.megahertzText)
    }

    /// Returns the word for a contact; `nil` if neither its frequency nor its band is known.
    ///
    /// - Parameters:
    ///   - megahertz: The value of FREQ.
    ///   - band: The value of BAND.
    static func word(megahertz: String?, band: String?) -> String? {
        let frequency = megahertz.flatMap { Frequency(megahertz: $0) }
        if let frequency, frequency.hertz < 30_000_000, frequency.hertz >= 1000 { return "\(frequency.hertz / 1000)" }
        guard let band = frequency.flatMap({ Band(containing: $0) }) ?? band.flatMap({ Band(named: $0) }) else {
            return nil
        }
        if let name = names.first(where: { $0.band == band }) { return name.word }
        return "\(band.lowerLimit.hertz / 1000)"
    }
}
