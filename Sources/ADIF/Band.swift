/// An amateur band (ADIF 3.1.6, "Band Enumeration").
///
/// The raw value is the position in the standard's list, from the longest wavelength to the shortest; it never
/// changes.
public enum Band: UInt8, Sendable, Hashable, CaseIterable {
    /// 135.7–137.8 kHz.
    case metres2190 = 1
    /// 472–479 kHz.
    case metres630 = 2
    /// 501–504 kHz.
    case metres560 = 3
    /// 1.8–2 MHz.
    case metres160 = 4
    /// 3.5–4 MHz.
    case metres80 = 5
    /// 5.06–5.45 MHz.
    case metres60 = 6
    /// 7–7.3 MHz.
    case metres40 = 7
    /// 10.1–10.15 MHz.
    case metres30 = 8
    /// 14–14.35 MHz.
    case metres20 = 9
    /// 18.068–18.168 MHz.
    case metres17 = 10
    /// 21–21.45 MHz.
    case metres15 = 11
    /// 24.89–24.99 MHz.
    case metres12 = 12
    /// 28–29.7 MHz.
    case metres10 = 13
    /// 40–45 MHz.
    case metres8 = 14
    /// 50–54 MHz.
    case metres6 = 15
    /// 54.000001–69.9 MHz.
    case metres5 = 16
    /// 70–71 MHz.
    case metres4 = 17
    /// 144–148 MHz.
    case metres2 = 18
    /// 222–225 MHz, 1.25 m.
    case centimetres125 = 19
    /// 420–450 MHz.
    case centimetres70 = 20
    /// 902–928 MHz.
    case centimetres33 = 21
    /// 1.24–1.3 GHz.
    case centimetres23 = 22
    /// 2.3–2.45 GHz.
    case centimetres13 = 23
    /// 3.3–3.5 GHz.
    case centimetres9 = 24
    /// 5.65–5.925 GHz.
    case centimetres6 = 25
    /// 10–10.5 GHz.
    case centimetres3 = 26
    /// 24–24.25 GHz, 1.25 cm.
    case millimetres12 = 27
    /// 47–47.2 GHz.
    case millimetres6 = 28
    /// 75.5–81 GHz.
    case millimetres4 = 29
    /// 119.98–123 GHz, 2.5 mm.
    case millimetres2p5 = 30
    /// 134–149 GHz.
    case millimetres2 = 31
    /// 241–250 GHz.
    case millimetres1 = 32
    /// 300–7,500 GHz.
    case submillimetre = 33

    /// The name as ADIF spells it, such as `20m`, `1.25cm` or `submm`.
    public var name: String { Self.table[Int(rawValue) - 1].name }

    /// The lowest frequency of the band, inclusive.
    public var lowerLimit: Frequency { Frequency(hertz: Self.table[Int(rawValue) - 1].lowerHertz) }

    /// The highest frequency of the band, inclusive.
    public var upperLimit: Frequency { Frequency(hertz: Self.table[Int(rawValue) - 1].upperHertz) }

    /// Finds the band by its name, such as `20m`; case and surrounding spaces are ignored. Nil if there is none.
    public init?(named name: String) {
        let wanted = name.trimmingSpaces.lowercased()
        guard let index = Self.table.firstIndex(where: { $0.name == wanted }) else { return nil }
        self.init(rawValue: UInt8(index) + 1)
    }

    /// Finds the band that contains `frequency`, limits included; nil between the bands.
    ///
    /// ADIF's limits span those of all countries, so they are wider than a single licence allows.
    public init?(containing frequency: Frequency) {
        let index = Self.table.firstIndex {
            $0.lowerHertz * 1_000 <= frequency.millihertz && frequency.millihertz <= $0.upperHertz * 1_000
        }
        guard let index else { return nil }
        self.init(rawValue: UInt8(index) + 1)
    }

    /// Finds the band that contains a frequency in hertz, limits included; nil between the bands.
    public init?(containing hertz: Int64) {
        guard 0...Frequency.maximumHertz ~= hertz else { return nil }
        self.init(containing: Frequency(hertz: hertz))
    }

    private static let table: [(name: String, lowerHertz: Int64, upperHertz: Int64)] = [
        ("2190m", 135_700, 137_800),
        ("630m", 472_000, 479_000),
        ("560m", 501_000, 504_000),
        ("160m", 1_800_000, 2_000_000),
        ("80m", 3_500_000, 4_000_000),
        ("60m", 5_060_000, 5_450_000),
        ("40m", 7_000_000, 7_300_000),
        ("30m", 10_100_000, 10_150_000),
        ("20m", 14_000_000, 14_350_000),
        ("17m", 18_068_000, 18_168_000),
        ("15m", 21_000_000, 21_450_000),
        ("12m", 24_890_000, 24_990_000),
        ("10m", 28_000_000, 29_700_000),
        ("8m", 40_000_000, 45_000_000),
        ("6m", 50_000_000, 54_000_000),
        ("5m", 54_000_001, 69_900_000),
        ("4m", 70_000_000, 71_000_000),
        ("2m", 144_000_000, 148_000_000),
        ("1.25m", 222_000_000, 225_000_000),
        ("70cm", 420_000_000, 450_000_000),
        ("33cm", 902_000_000, 928_000_000),
        ("23cm", 1_240_000_000, 1_300_000_000),
        ("13cm", 2_300_000_000, 2_450_000_000),
        ("9cm", 3_300_000_000, 3_500_000_000),
        ("6cm", 5_650_000_000, 5_925_000_000),
        ("3cm", 10_000_000_000, 10_500_000_000),
        ("1.25cm", 24_000_000_000, 24_250_000_000),
        ("6mm", 47_000_000_000, 47_200_000_000),
        ("4mm", 75_500_000_000, 81_000_000_000),
        ("2.5mm", 119_980_000_000, 123_000_000_000),
        ("2mm", 134_000_000_000, 149_000_000_000),
        ("1mm", 241_000_000_000, 250_000_000_000),
        ("submm", 300_000_000_000, 7_500_000_000_000),
    ]
}
