import ADIF

/// Converts the start of a contact between ADIF's two texts and seconds since 1970.
public enum ContactTime {
    /// Returns seconds since 1970; `nil` if the date is invalid. An invalid time counts as 00:00.
    public static func seconds(date: ArraySlice<UInt8>, time: ArraySlice<UInt8>) -> Int64? {
        guard let date = ADIFDate(date) else { return nil }
        let time = ADIFTime(time)
        return Int64(date.daysSince1970) * 86_400 + Int64(time?.secondsSinceMidnight ?? 0)
    }

    /// Returns the date as eight digits and the time as six.
    public static func text(seconds: Int64) -> (date: String, time: String) {
        let moment = ADIFDateTime(unixSeconds: seconds)
        return (moment.date.text, moment.time.text)
    }
}

extension Mode {
    /// Telegraphy.
    public static var cw: Mode { Mode(known: "CW") }
    /// Voice by single sideband.
    public static var ssb: Mode { Mode(known: "SSB") }
    /// Voice by frequency modulation.
    public static var fm: Mode { Mode(known: "FM") }
    /// FT8.
    public static var ft8: Mode { Mode(known: "FT8") }
    /// Radio teletype.
    public static var rtty: Mode { Mode(known: "RTTY") }

    private init(known name: String) {
        guard let mode = Mode(mode: name) else { preconditionFailure("\(name) is a mode of ADIF.") }
        self = mode
    }
}
