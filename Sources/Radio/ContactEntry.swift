import GroundwaveADIF
import GroundwaveRecords

/// The fields of a contact as a user entered them, normalised to ADIF's form. Related fields are made to agree, and
/// missing fields are filled in from the session and the clock.
///
/// ```swift
/// var entry = try ContactEntry([Assignment("CALL", text: "w1aw"), Assignment("FREQ", text: "14.0325")])
/// try entry.complete(now: now, session: nil)
/// entry.assignments  // CALL=W1AW, FREQ=14.0325, QSO_DATE=…, TIME_ON=…, BAND=20m
/// ```
public struct ContactEntry: Sendable {
    /// Sentences about unusual values that were kept.
    public private(set) var remarks: [String] = []
    /// What was filled in from the operator's defaults.
    public private(set) var filledIn: [Assignment] = []
    private var names: [FieldName] = []
    private var values: [FieldName: String?] = [:]

    /// Creates an entry with the fields in `assignments`.
    ///
    /// - Parameter record: The contact to be edited; `nil` for a new one.
    /// - Throws: ``EntryProblem`` for an unknown field, a field given twice, or an invalid value.
    public init(_ assignments: [Assignment], to record: Record? = nil) throws(EntryProblem) {
        for assignment in assignments {
            let name = try FieldNameInput.name(assignment.name, in: record, remarks: &remarks)
            if sets(name) { throw EntryProblem("\(name) is given twice.") }
            let text = assignment.value.map { String(decoding: $0, as: UTF8.self) }
            set(
                name,
                try text.map { (text) throws(EntryProblem) in
                    try FieldInput.normalised(text, for: name, remarks: &remarks)
                })
        }
    }

    /// The assignments to write.
    public var assignments: [Assignment] {
        names.map { name in Assignment(name.name, (values[name] ?? nil).map { Array($0.utf8) }) }
    }

    /// Completes a new contact: missing fields come from `session`, then from `defaults`; a missing date and time from `now`.
    ///
    /// - Parameters:
    ///   - now: Seconds since 1970.
    ///   - defaults: What the operator has set for all contacts; a value that is no valid one of its field is left out, with
    ///     a remark.
    /// - Throws: ``EntryProblem`` if there is no call, or if related fields contradict each other.
    public mutating func complete(
        now: Int64, session: OperatingSession?, defaults: [(name: FieldName, value: String)] = []
    ) throws(EntryProblem) {
        guard let call = value(.call), !call.isEmpty else { throw EntryProblem("A contact needs a CALL.") }
        if let session { fill(from: session) }
        fill(from: defaults)
        try settleTime(now: now)
        try settleBands { _ in nil }
        try settleMode { _ in nil }
        names = names.filter { value($0) != nil }
        if value(.band) == nil, value(.freq) == nil { remarks.append("The contact has neither FREQ nor BAND.") }
        if let mode = value(.mode) {
            if QSOKind.metadataModes.contains(mode) {
                remarks.append("\(mode) is a note of an activation: it is not counted as a contact.")
            }
        } else {
            remarks.append("The contact has no MODE.")
        }
    }

    /// Completes a change of `record`: a new frequency changes the band, a new mode the submode.
    public mutating func settle(on record: Record) throws(EntryProblem) {
        if sets(.call), (value(.call) ?? "").isEmpty {
            throw EntryProblem("A contact needs a CALL.", hint: "To hide the contact, remove it.")
        }
        try settleBands { record.text($0) }
        try settleMode { record.text($0) }
        if sets(.myPOTARef), !sets(.mySIGInfo), record.text(.mySIG)?.uppercased() == "POTA" {
            let park = value(.myPOTARef)
            if park == nil { set(.mySIG, nil) }
            set(.mySIGInfo, park.flatMap { $0.contains(",") ? nil : $0 })
        }
    }

    // MARK: - Parts

    private func sets(_ name: FieldName) -> Bool { values[name] != nil }

    private func value(_ name: FieldName) -> String? { values[name] ?? nil }

    private mutating func set(_ name: FieldName, _ value: String?) {
        if values.updateValue(value, forKey: name) == nil { names.append(name) }
    }

    private mutating func fill(from session: OperatingSession) {
        let setsFrequency = sets(.freq) || sets(.band)
        let setsMode = sets(.mode) || sets(.submode)
        let setsPark = sets(.myPOTARef) || sets(.mySIG) || sets(.mySIGInfo)
        for (name, text) in session.contactFields {
            switch name {
            case .freq where setsFrequency, .mode where setsMode: continue
            case .myPOTARef where setsPark, .mySIG where setsPark, .mySIGInfo where setsPark: continue
            default: if !sets(name) { set(name, text) }
            }
        }
    }

    private mutating func fill(from defaults: [(name: FieldName, value: String)]) {
        let setsFrequency = sets(.freq) || sets(.band)
        let setsMode = sets(.mode) || sets(.submode)
        for (name, text) in defaults where !sets(name) {
            if name == .band && setsFrequency || name == .mode && setsMode { continue }
            var ignored: [String] = []
            guard let value = try? FieldInput.normalised(text, for: name, remarks: &ignored) else {
                remarks.append("The default \(text) is not a valid \(name), so it was left out.")
                continue
            }
            set(name, value)
            filledIn.append(Assignment(name.name, text: value))
        }
    }

    private mutating func settleTime(now: Int64) throws(EntryProblem) {
        let tolerance: Int64 = 300
        let today = ContactTime.text(seconds: now)
        switch (value(.qsoDate), value(.timeOn)) {
        case (nil, nil):
            set(.qsoDate, today.date)
            set(.timeOn, today.time)
        case (nil, let time?):
            // Just after midnight, 23:58 belongs to yesterday.
            let isLater = (Self.seconds(today.date, time) ?? 0) > now + tolerance
            let date = isLater ? ContactTime.text(seconds: now - 86_400).date : today.date
            set(.qsoDate, date)
            if isLater { remarks.append("\(time) is later than now, so the contact is dated yesterday: \(date).") }
        case (_?, nil):
            remarks.append("The contact has no TIME_ON; it counts as made at 00:00.")
        case (let date?, let time?):
            if let seconds = Self.seconds(date, time), seconds > now + tolerance {
                remarks.append("\(date) \(time) is in the future.")
            }
        }
    }

    private static func seconds(_ date: String, _ time: String) -> Int64? {
        ContactTime.seconds(date: Array(date.utf8)[...], time: Array(time.utf8)[...])
    }

    private mutating func settleBands(_ shown: (FieldName) -> String?) throws(EntryProblem) {
        try settleBand(.freq, .band, shown)
        try settleBand("FREQ_RX", "BAND_RX", shown)
    }

    /// Makes a frequency and its band agree.
    private mutating func settleBand(
        _ frequencyName: FieldName, _ bandName: FieldName, _ shown: (FieldName) -> String?
    ) throws(EntryProblem) {
        guard sets(frequencyName) || sets(bandName) else { return }
        let text = sets(frequencyName) ? value(frequencyName) : shown(frequencyName)
        guard let text, let frequency = Frequency(megahertz: text) else {
            if sets(frequencyName), let text = value(frequencyName) {
                throw EntryProblem("\(text) is not a valid \(frequencyName).", hint: "Write it in MHz: 14.074.")
            }
            return
        }
        let holding = Band(containing: frequency)
        if sets(frequencyName), holding == nil {
            try checkUnit(frequency, text, frequencyName)
            remarks.append("\(text) MHz is outside all bands.")
        }
        let bandText = sets(bandName) ? value(bandName) : shown(bandName)
        guard bandText.flatMap({ Band(named: $0) }) != holding else { return }
        if sets(frequencyName), sets(bandName), let bandText {
            let location = holding.map { "in \($0.name)" } ?? "outside all bands"
            throw EntryProblem(
                "\(text) MHz is \(location), not in \(bandText).",
                hint: "Leave out \(bandName): it follows \(frequencyName).")
        } else if sets(frequencyName) {
            set(bandName, holding?.name)
        } else if bandText != nil {
            set(frequencyName, nil)
            remarks.append("\(frequencyName) \(text) was cleared: it is not in \(bandText ?? "").")
        }
    }

    /// Refuses a frequency that was given in kilohertz or hertz instead of megahertz.
    private func checkUnit(_ frequency: Frequency, _ text: String, _ name: FieldName) throws(EntryProblem) {
        for divisor: Int64 in [1000, 1_000_000] {
            guard let meant = Frequency(millihertz: frequency.millihertz / divisor), Band(containing: meant) != nil
            else {
                continue
            }
            throw EntryProblem(
                "\(name)=\(text) is outside all bands; \(name) is in MHz.",
                hint: "Did you mean \(name)=\(meant.megahertzText)?")
        }
    }

    /// Makes mode and submode agree with ADIF's lists.
    private mutating func settleMode(_ shown: (FieldName) -> String?) throws(EntryProblem) {
        switch (value(.mode), value(.submode)) {
        case (let mode?, let submode?):
            let parent = Mode.parent(ofSubmode: submode)
            if let parent, let given = Mode(mode: mode), given.isKnown, given.name != parent {
                throw EntryProblem(
                    "\(submode.uppercased()) is a submode of \(parent), not of \(given.name).",
                    hint: "Leave out one of MODE and SUBMODE.")
            }
            apply(Mode(mode: mode, submode: submode), shownSubmode: nil)
        case (let mode?, nil): apply(Mode(mode: mode), shownSubmode: sets(.submode) ? nil : shown(.submode))
        case (nil, let submode?):
            let parent = Mode.parent(ofSubmode: submode)
            set(.submode, submode.uppercased())
            guard let parent else {
                remarks.append("ADIF has no submode \(submode.uppercased()); it was kept unchanged.")
                return
            }
            if Mode(mode: shown(.mode))?.name != parent { set(.mode, parent) }
        case (nil, nil):
            if sets(.mode), !sets(.submode), shown(.submode) != nil { set(.submode, nil) }
        }
    }

    private mutating func apply(_ mode: Mode?, shownSubmode: String?) {
        guard let mode else { return }
        set(.mode, mode.name)
        if let submode = mode.submode {
            set(.submode, submode)
            if !mode.hasKnownSubmode, mode.isKnown {
                remarks.append("ADIF has no submode \(submode) of \(mode.name); it was kept unchanged.")
            }
        } else if let shownSubmode, Mode.parent(ofSubmode: shownSubmode) != mode.name {
            set(.submode, nil)
        }
        if !mode.isKnown, !QSOKind.metadataModes.contains(mode.name) {
            remarks.append("ADIF has no mode \(mode.name); it was kept unchanged.")
        }
    }
}
