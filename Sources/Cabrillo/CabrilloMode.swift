import GroundwaveADIF

/// The second column of a contact in Cabrillo: CW, PH (telephony), FM, RY (RTTY) or DG (another digital mode).
enum CabrilloMode {
    /// Returns the mode of ADIF; DATA for a digital one that Cabrillo does not name. `nil` if the word is no mode.
    static func mode(_ word: String) -> String? {
        switch word {
        case "CW", "FM": word
        case "PH": "SSB"
        case "RY": "RTTY"
        case "DG": "DATA"
        default: nil
        }
    }

    /// Returns the word for a mode of ADIF.
    static func word(mode: String?, submode: String?) -> String? {
        switch Mode(mode: mode, submode: submode)?.name {
        case nil: nil
        case "CW": "CW"
        case "FM": "FM"
        case "SSB", "AM", "DIGITALVOICE": "PH"
        case "RTTY": "RY"
        default: "DG"
        }
    }
}
