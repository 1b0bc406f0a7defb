/// The bitmap font of pictures: each letter is five pixels wide and up to twelve high, nine of them above the
/// baseline.
enum PlotFont {
    static let width = 5
    static let height = 12
    /// The number of rows above the baseline.
    static let ascent = 9
    /// The distance from a letter to the next one.
    static let advance = 6

    /// Returns row `index` of `character`, from the top. The highest of the lower six bits is the leftmost pixel.
    static func row(_ index: Int, of character: Character, isBold: Bool) -> UInt64 {
        let bits = (rows(of: character) >> UInt64(55 - index * width) & 0b11111) << 1
        // A bold letter is drawn again one pixel to the right, except for pixels that would fill its openings.
        return isBold ? bits | (bits >> 1 & ~(bits << 1)) : bits
    }

    /// Returns the rows of `character` from top to bottom, five bits each with the leftmost pixel highest: the upper
    /// 60 bits. Unknown characters are a box.
    static func rows(of character: Character) -> UInt64 {
        let plain = withoutMarks[character] ?? character
        if let ascii = plain.asciiValue, ascii >= 32, ascii < 127 { return printable[Int(ascii) - 32] }
        return others[plain] ?? 0xfc6_318c_631f_8000
    }

    /// The nearest ASCII equivalents of Latin letters and punctuation.
    private static let withoutMarks: [Character: Character] = {
        let groups: [(Character, String)] = [
            ("a", "àáâãäåāăą"), ("c", "çćč"), ("d", "ďđ"), ("e", "èéêëēėęě"), ("g", "ğ"), ("i", "ìíîïīı"), ("l", "ľł"),
            ("n", "ñńň"), ("o", "òóôõöøőō"), ("r", "ř"), ("s", "śšşș"), ("t", "ťţț"), ("u", "ùúûüūůű"), ("y", "ýÿ"),
            ("z", "źżž"), ("A", "ÀÁÂÃÄÅĀĂĄ"), ("C", "ÇĆČ"), ("D", "ĎĐ"), ("E", "ÈÉÊËĒĖĘĚ"), ("G", "Ğ"), ("I", "ÌÍÎÏĪİ"),
            ("L", "ĽŁ"), ("N", "ÑŃŇ"), ("O", "ÒÓÔÕÖØŐŌ"), ("R", "Ř"), ("S", "ŚŠŞȘ"), ("T", "ŤŢȚ"), ("U", "ÙÚÛÜŪŮŰ"),
            ("Y", "Ý"), ("Z", "ŹŻŽ"), ("-", "–—−"), ("'", "‘’"), ("\"", "“”„"), (" ", "\u{A0}\u{202F}\u{2009}"),
        ]
        return Dictionary(
            uniqueKeysWithValues: groups.flatMap { plain, letters in letters.map { ($0, plain) } })
    }()

    private static let others: [Character: UInt64] = [
        "µ": 0x000_118c_633e_c210, "μ": 0x000_118c_633e_c210, "Ω": 0x746_318c_54ad_8000, "°": 0x64a_4c00_0000_0000,
        "×": 0x000_1151_1510_0000, "·": 0x000_0031_8000_0000, "…": 0x000_0000_000a_8000,
    ]

    /// From the space to the tilde.
    private static let printable: [UInt64] = [
        0x000_0000_0000_0000, 0x210_8421_0042_0000, 0x529_4000_0000_0000, 0x029_5f52_bea5_0000, 0x23e_9471_4be2_0000,
        0xce4_4222_1139_8000, 0x64a_5264_a326_8000, 0x210_8000_0000_0000, 0x110_8842_1082_1040, 0x410_8210_8422_1100,
        0x000_9573_aa40_0000, 0x000_0427_c840_0000, 0x000_0000_0063_1100, 0x000_0003_c000_0000, 0x000_0000_00c6_0000,
        0x084_4222_1108_0000, 0x746_33ae_6317_0000, 0x232_8421_084f_8000, 0x744_2111_110f_8000, 0x744_2130_4317_0000,
        0x118_ca54_be21_0000, 0xfc2_1e08_4317_0000, 0x322_10f4_6317_0000, 0xf84_2211_0884_0000, 0x746_3174_6317_0000,
        0x746_3178_4226_0000, 0x000_0c60_00c6_0000, 0x000_0630_0063_1100, 0x004_4441_0410_0000, 0x000_00f8_3e00_0000,
        0x041_0411_1100_0000, 0x744_2111_0042_0000, 0x746_f5ad_6f07_8000, 0x211_4a8c_7f18_8000, 0xf46_31f4_631f_0000,
        0x746_1084_2117_0000, 0xe4a_318c_632e_0000, 0xfc2_10f4_210f_8000, 0xfc2_10f4_2108_0000, 0x746_10bc_6317_8000,
        0x8c6_31fc_6318_8000, 0x710_8421_0847_0000, 0x388_4210_8526_0000, 0x8c6_54c5_2518_8000, 0x842_1084_210f_8000,
        0x8ef_75ac_6318_8000, 0x8e7_35ad_6738_8000, 0x746_318c_6317_0000, 0xf46_31f4_2108_0000, 0x746_318c_6b26_8000,
        0xf46_31f5_2518_8000, 0x746_1070_4317_0000, 0xf90_8421_0842_0000, 0x8c6_318c_6317_0000, 0x8c6_3152_9442_0000,
        0x8c6_31ad_6b55_0000, 0x8c5_4a22_9518_8000, 0x8c5_4a21_0842_0000, 0xf84_2222_210f_8000, 0x721_0842_1084_21c0,
        0x841_0820_8410_8000, 0x708_4210_8421_09c0, 0x22a_2000_0000_0000, 0x000_0000_0000_7c00, 0x410_0000_0000_0000,
        0x000_0e0b_e317_8000, 0x842_1e8c_631f_0000, 0x000_0e8c_2117_0000, 0x084_2f8c_6317_8000, 0x000_0e8f_e107_8000,
        0x325_1e42_1084_0000, 0x000_0f8c_6317_862e, 0x842_1e8c_6318_8000, 0x200_0c21_0847_0000, 0x100_0610_8421_0a4c,
        0x842_12a6_2928_8000, 0x610_8421_0847_0000, 0x000_1aad_6b5a_8000, 0x000_1e8c_6318_8000, 0x000_0e8c_6317_0000,
        0x000_1e8c_631f_4210, 0x000_0f8c_6317_8421, 0x000_16cc_2108_0000, 0x000_0f83_821f_0000, 0x021_1e42_1093_0000,
        0x000_118c_6317_8000, 0x000_118c_54a2_0000, 0x000_118d_6b55_0000, 0x000_1151_08a8_8000, 0x000_118c_6317_862e,
        0x000_1f08_888f_8000, 0x190_8426_0842_1060, 0x210_8421_0842_1080, 0xc10_8420_c842_1300, 0x000_004d_8000_0000,
    ]
}

/// Upper bounds of text widths, for any of the usual fonts of SVG viewers and for ``PlotFont``.
enum TextWidth {
    /// Returns the font size in SVG, in pixels.
    static func fontSize(isBold: Bool) -> Int { isBold ? 13 : 11 }

    /// Returns the width of `text` in pixels.
    static func of(_ text: String, isBold: Bool = false, scale: Int) -> Int {
        let thousandths = text.reduce(0) { $0 + Self.thousandths($1) }
        let inFont = thousandths * fontSize(isBold: isBold) * (isBold ? 112 : 100) / 100_000 + 1
        let inPixels = text.count * (PlotFont.advance + (isBold ? 1 : 0))
        return max(inFont, inPixels) * scale
    }

    /// Returns `text`, cut with an ellipsis if it is wider than `width` pixels.
    static func cut(_ text: String, to width: Int, isBold: Bool = false, scale: Int) -> String {
        // No picture has room for more characters.
        let text = String(text.prefix(1500).map { $0.isNewline || $0 == "\t" ? " " : $0 })
        guard of(text, isBold: isBold, scale: scale) > width else { return text }
        var kept = text
        while !kept.isEmpty, of(kept + "…", isBold: isBold, scale: scale) > width { kept.removeLast() }
        return kept + "…"
    }

    /// Returns the width of a letter in thousandths of the font size, for the widest of the usual fonts.
    private static func thousandths(_ letter: Character) -> Int {
        guard let ascii = letter.asciiValue else { return letter == "µ" || letter == "°" || letter == "·" ? 640 : 1000 }
        return switch ascii {
        case 0x20, 0x21, 0x27, 0x28, 0x29, 0x2C...0x2F, 0x3A, 0x3B, 0x49, 0x5B...0x5D, 0x60, 0x66, 0x69, 0x6A, 0x6C,
            0x72,
            0x74, 0x7C:
            420
        case 0x25, 0x40, 0x4D, 0x57, 0x6D, 0x77: 1000
        case 0x2B, 0x3C...0x3E, 0x41...0x5A, 0x7E: 840
        default: 645
        }
    }
}
