/// A mode of emission, optionally with a submode, as in the fields `MODE` and `SUBMODE`.
///
/// Programs write many different values into `MODE`. ``init(mode:submode:)`` normalises them to ADIF 3.1.6 ("Mode
/// Enumeration", "Submode Enumeration") and 3.1.7, and keeps unknown values:
///
/// ```swift
/// Mode(mode: "usb")                  // SSB, USB
/// Mode(mode: "FT4")                  // MFSK, FT4
/// Mode(mode: "PHONE")                // SSB
/// Mode(mode: "MFSK", submode: "ft4") // MFSK, FT4
/// Mode(mode: "NewMode")              // NEWMODE
/// ```
///
/// The record keeps the values of the file; this type is for comparing and counting.
public struct Mode: Hashable, Sendable {
    /// The mode in upper case: one of the standard's if ``isKnown``.
    public let name: String
    /// The submode in upper case; nil if there is none.
    public let submode: String?

    /// Makes a mode from the values of the fields `MODE` and `SUBMODE`, in any case.
    ///
    /// - If `mode` is a submode, such as `USB`, the mode is the one that it belongs to. It becomes the submode unless
    ///   `submode` has a value.
    /// - `PHONE` and similar names become `SSB`, and the variants of `CW` and `RTTY` for the other sideband lose their
    ///   suffix.
    /// - If `submode` belongs to another known mode than `mode`, its own mode is used, since it is more specific.
    /// - An unknown mode is kept, with its submode; but if `submode` is the name of a mode, it replaces that mode.
    ///
    /// - Returns: nil if both are missing or blank.
    public init?(mode: String?, submode: String? = nil) {
        let table = ModeTable.shared
        let modeName = Self.cleaned(mode).map { Self.synonyms[$0] ?? $0 }
        guard let submodeName = Self.cleaned(submode), submodeName != modeName else {
            guard let modeName = modeName ?? Self.cleaned(submode) else { return nil }
            self.init(inModeField: modeName)
            return
        }
        if let parent = table.parents[submodeName] {
            let isModeKnown = modeName.map(table.isKnown) ?? true
            self.init(name: isModeKnown ? parent : modeName ?? parent, submode: submodeName)
        } else if let modeName, table.isKnown(modeName) || !table.isKnown(submodeName) {
            self.init(name: table.parents[modeName] ?? modeName, submode: submodeName)
        } else {
            // For example mode "DATA" with submode "FT8": a mode in the wrong field.
            self.init(inModeField: submodeName)
        }
    }

    private init(inModeField name: String) {
        if let parent = ModeTable.shared.parents[name] {
            self.init(name: parent, submode: name)
        } else {
            self.init(name: name, submode: nil)
        }
    }

    /// Makes a mode from the fields of a record; nil if it has neither `MODE` nor `SUBMODE`.
    public init?(_ fields: ADIFFields) {
        self.init(mode: fields.text(.mode), submode: fields.text(.submode))
    }

    private init(name: String, submode: String?) {
        self.name = name
        self.submode = submode
    }

    /// Whether the mode is in the standard's list, including import-only modes.
    public var isKnown: Bool { ModeTable.shared.isKnown(name) }

    /// Whether the standard allows programs to write the mode.
    public var isCurrent: Bool { ModeTable.shared.currentModes.contains(name) }

    /// Whether the submode is in the standard's list for this mode; false if there is no submode.
    public var hasKnownSubmode: Bool { submode.map { ModeTable.shared.parents[$0] == name } ?? false }

    /// The modes that programs may write, in the order of the standard.
    public static var currentNames: [String] { ModeTable.shared.modes.filter { !$0.isImportOnly }.map(\.name) }

    /// The modes that programs may read but must no longer write, in the order of the standard.
    public static var importOnlyNames: [String] { ModeTable.shared.modes.filter(\.isImportOnly).map(\.name) }

    /// Returns the mode that `submode`, in any case, belongs to; nil if the submode is unknown.
    public static func parent(ofSubmode submode: String) -> String? {
        cleaned(submode).flatMap { ModeTable.shared.parents[$0] }
    }

    /// Returns the submodes of `mode`, in any case, in the order of the standard.
    public static func submodes(of mode: String) -> [String] {
        let name = cleaned(mode)
        return ModeTable.shared.submodes.filter { $0.mode == name }.map(\.submode)
    }

    // Values that programs and services write without being in any list of the standard.
    private static let synonyms = [
        "PHONE": "SSB", "VOICE": "SSB", "PH": "SSB", "CW-R": "CW", "CWR": "CW", "RTTY-R": "RTTY", "RTTYR": "RTTY",
    ]

    private static func cleaned(_ text: String?) -> String? {
        guard let trimmed = text?.trimmingSpaces, !trimmed.isEmpty else { return nil }
        return trimmed.uppercased()
    }
}

extension Mode: CustomStringConvertible {
    /// The submode if there is one, else the mode: the usual name.
    public var description: String { submode ?? name }
}

/// The modes and submodes, parsed once from the generated text.
struct ModeTable: Sendable {
    static let shared = ModeTable()

    let modes: [(name: String, isImportOnly: Bool)]
    let submodes: [(mode: String, submode: String)]
    /// The mode of every submode.
    let parents: [String: String]
    let currentModes: Set<String>
    private let names: Set<String>

    private init() {
        modes = EnumerationSource.modes.split(separator: "\n").map { (String($0.dropFirst(2)), $0.hasPrefix("I")) }
        submodes = EnumerationSource.submodes.split(separator: "\n").map { line in
            let columns = line.split(separator: " ", maxSplits: 1)
            return (String(columns[0]), String(columns[1]))
        }
        parents = Dictionary(submodes.map { ($0.submode, $0.mode) }) { first, _ in first }
        currentModes = Set(modes.filter { !$0.isImportOnly }.map(\.name))
        names = Set(modes.map(\.name))
    }

    /// Returns whether `mode` is a mode or a submode of the standard; programs write either into `MODE`.
    func isKnown(_ mode: String) -> Bool { names.contains(mode) || parents[mode] != nil }
}
