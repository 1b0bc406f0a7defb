import GroundwaveADIF
import GroundwaveCabrillo
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveStore

extension Reading {
    /// Writes the log of a contest: its header, and a line for each contact in order of their times, then in that of exports.
    ///
    /// - Complexity: The contacts of the contest are in memory.
    func exportCabrillo(
        _ query: ContactQuery, _ options: CabrilloOptions, to sink: ([UInt8]) throws -> Void
    ) throws -> ExportReport {
        var query = query
        query.includesMetadata = false
        if let contest = options.contest {
            query.conditions.append(FieldCondition("CONTEST_ID", .equal, contest))
        }
        var report = ExportReport(token: try log.token(at: 0))
        var bytes: [UInt8] = []
        let settings = try cabrilloSettings()
        try read { view in
            report = ExportReport(token: try log.token(at: view.position))
            let contacts = try view.contactsByTime(query)
            let contest = try Self.contest(of: contacts, options.contest)
            let imported = try view.importedHeader(of: contest)
            let header = try Self.header(contest, contacts, options, imported, settings)
            let line = CabrilloContactLine(contest: contest, station: header["CALLSIGN"], sent: options.sent)
            bytes = Array("START-OF-LOG: 3.0\r\n".utf8)
            for line in header.lines { bytes += "\(line.tag): \(line.text)\r\n".utf8 }
            for contact in contacts {
                let written = line.line { contact.text($0) }
                bytes += (written.line + "\r\n").utf8
                report.remarks += written.missing.map {
                    ExportReport.Remark(
                        record: contact.id, field: $0, message: "A line has no \($0): - stands in its place.")
                }
            }
            bytes += "END-OF-LOG:\r\n".utf8
            (report.records, report.bytes) = (contacts.count, bytes.count)
        }
        try sink(bytes)
        return report
    }

    /// The settings of this device for the header: tags and texts.
    private func cabrilloSettings() throws -> [(tag: String, text: String)] {
        let own = try [("CALLSIGN", "myCallsign"), ("NAME", "operatorName"), ("GRID-LOCATOR", "defaultGrid")].compactMap
        {
            tag, key in try setting(key).map { (tag: tag, text: $0.value) }
        }
        let others = try CabrilloHeader.tags.compactMap { tag in
            try setting("cabrillo.\(tag)").map { (tag: tag, text: $0.value) }
        }
        return others + own
    }

    private static func contest(of contacts: [Record], _ given: String?) throws -> String {
        let names = Set(contacts.map { $0.text("CONTEST_ID")?.uppercased() ?? "" })
        if let given, !names.isEmpty { return given.uppercased() }
        switch names.count {
        case 0:
            throw StoreError(
                .notFound, "There is no contact to export.",
                hint: "To see the contests: \(.list(.contests))")
        case 1 where names != [""]: return names.first ?? ""
        case 1:
            throw StoreError(
                .usage, "The contacts have no CONTEST_ID, so their contest is not known.",
                hint: "To give it to the contacts of a file: \(.importWithContest)")
        default:
            let list = names.sorted().map { $0.isEmpty ? "none" : $0 }.joined(separator: ", ")
            throw StoreError(.usage, "The contacts are not of one contest: \(list).", hint: "\(.nameContest).")
        }
    }

    /// Returns the header: what is given, then what was imported, then what is set.
    private static func header(
        _ contest: String, _ contacts: [Record], _ options: CabrilloOptions, _ imported: CabrilloHeader?,
        _ settings: [(tag: String, text: String)]
    ) throws -> CabrilloHeader {
        var header = imported ?? CabrilloHeader()
        header.set("CONTEST", [contest])
        let stations = Set(contacts.compactMap { $0.text(.stationCallsign)?.uppercased() }.filter { !$0.isEmpty })
        if stations.count == 1, let station = stations.first { header.set("CALLSIGN", [station]) }
        let operators = Set(contacts.compactMap { $0.text(.operator)?.uppercased() }.filter { !$0.isEmpty })
        if header["OPERATORS"] == nil, !operators.isEmpty {
            header.set("OPERATORS", [operators.sorted().joined(separator: " ")])
        }
        for (tag, text) in settings where header[tag] == nil {
            header.set(tag, [try CabrilloOptions.checked(text, for: tag)])
        }
        for tag in Set(options.header.lines.map(\.tag)).sorted() {
            header.set(tag, options.header.lines.filter { $0.tag == tag }.map(\.text))
        }
        header.set("CREATED-BY", ["Groundwave \(Store.libraryVersion)"])
        guard header["CALLSIGN"] != nil else {
            throw StoreError(
                .usage, "The call of the station is not known.",
                hint: "To set it: \(.set(key: "myCallsign", example: "CALL"))")
        }
        return header
    }
}

extension ViewReader {
    /// Returns the contacts of `query` in order of their times, to the minute, then in that of exports.
    fileprivate func contactsByTime(_ query: ContactQuery) throws -> [Record] {
        var contacts: [(minute: String, record: Record)] = []
        try withContactsInOrder(query) { found, _ in
            try forEachShown(in: found) { id, values in
                let record = values.record(QSOKind.name, id)
                contacts.append(((record.text(.qsoDate) ?? "") + (record.text(.timeOn) ?? "").prefix(4), record))
            }
        }
        return contacts.enumerated().sorted { ($0.element.minute, $0.offset) < ($1.element.minute, $1.offset) }
            .map(\.element.record)
    }

    /// Returns the header of the Cabrillo log of a contest that was imported last; `nil` if none was.
    fileprivate func importedHeader(of contest: String) throws -> CabrilloHeader? {
        var last: (position: Position, header: CabrilloHeader)?
        try forEachRecord(of: ImportKind.name) { record in
            guard let text = ImportKind.schema.value(of: "CABRILLO", in: record),
                record.lastPosition > last?.position ?? 0
            else { return true }
            let header = CabrilloHeader(text: String(decoding: text, as: UTF8.self))
            if header["CONTEST"]?.uppercased() == contest { last = (record.lastPosition, header) }
            return true
        }
        return last?.header
    }
}
