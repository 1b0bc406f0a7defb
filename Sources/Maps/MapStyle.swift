/// Colours of maps, and the steps in which squares are coloured.
enum MapStyle {
    static let paper: UInt32 = 0xFFFFFF
    static let sea: UInt32 = 0xEDF3F8
    static let land: UInt32 = 0xDCDFDA
    static let coast: UInt32 = 0xAEB6B0
    static let grid: UInt32 = 0xC9D3DB
    static let gridName: UInt32 = 0x9AA7B2
    static let frame: UInt32 = 0x7C8894
    static let ink: UInt32 = 0x1F2933
    static let quiet: UInt32 = 0x52606D
    static let way: UInt32 = 0x2B6CB0
    static let station: UInt32 = 0x1A365D

    /// A number of contacts from which on squares have a colour.
    struct Step {
        let least: Int
        let label: String
        let colour: UInt32
    }

    /// The steps from few contacts to many: light to dark, so that they can be told apart without seeing colours.
    static let steps = [
        Step(least: 1, label: "1", colour: 0xFDAE6B), Step(least: 2, label: "2–4", colour: 0xF16913),
        Step(least: 5, label: "5–19", colour: 0xD62F1F), Step(least: 20, label: "20–99", colour: 0x99000D),
        Step(least: 100, label: "100 or more", colour: 0x4A0010),
    ]

    /// Returns the index of the step of a square with so many contacts.
    static func step(of contacts: Int) -> Int { (steps.lastIndex { $0.least <= contacts }) ?? 0 }
}
