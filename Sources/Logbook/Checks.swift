import GroundwaveADIF
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveStore

/// The ID of a session's record.
public typealias SessionID = RecordID

/// Band names as people write them.
package enum BandName {
    /// Returns `text` as ADIF spells it.
    ///
    /// - Throws: ``StoreError`` with code `usage` if there is no such band.
    package static func checked(_ text: String) throws -> String {
        if let band = Band(named: text) { return band.name }
        let guess = ["m", "cm", "mm"].compactMap { Band(named: text + $0) }.first
        throw StoreError(
            .usage, "There is no band “\(text)”.",
            hint: guess.map { "Did you mean \($0.name)?" }
                ?? "Bands are called 160m, 80m, 40m, 20m, 2m, 70cm and so on.")
    }
}

extension ViewReader {
    /// Returns the first contact that `contact` is a dupe of: in its contest, in its session, or else on its UTC day; `nil` if
    /// there is none, or if its call or start time is missing.
    ///
    /// - Throws: If a row is damaged: see ``ViewReader``.
    /// - Complexity: A look-up in the index of calls, and one for each contact with the station.
    public func firstDupe(of contact: LoggedContact) throws -> Record? {
        try firstDupe(of: contact.assignments, in: contact.session, except: contact.id)
    }

    /// As ``firstDupe(of:)``, of a contact with these fields that may not be logged yet.
    package func firstDupe(
        of assignments: [Assignment], in session: RecordID?, except id: RecordID? = nil
    ) throws -> Record? {
        func text(_ name: String) -> String? {
            assignments.last { $0.name == name }?.value.map { String(decoding: $0, as: UTF8.self) }
        }
        let start = ContactFacts.seconds(date: text("QSO_DATE") ?? "", time: text("TIME_ON") ?? "")
        guard let call = text("CALL"), let start else { return nil }
        let check = DupeCheck(
            call: call, band: text("BAND"), mode: ContactFacts.modeName(text("MODE"), text("SUBMODE")),
            contest: text("CONTEST_ID"), session: session, parks: ContactFacts.parks(text("MY_POTA_REF")),
            now: start)
        var found: Record?
        try forEachContact(.contacts.worked(call)) { record in
            if record.id != id, check.isDupe(record) { found = record }
            return found == nil
        }
        return found
    }
}
