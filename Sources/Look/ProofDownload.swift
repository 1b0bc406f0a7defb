import GroundwaveLogbook
import GroundwaveRadio
import GroundwaveRecords

/// The proof that a contact is in the log, as a file to keep.
enum ProofDownload {
    static func answer(_ visit: Visit, _ kind: String, _ name: String) throws -> PageResponse {
        guard kind == QSOKind.name else { throw Refusal(404, "Only contacts have proofs.") }
        let (id, _) = try RecordPage.find(visit, kind, name)
        let proof = try visit.store.proof(ofContact: id)
        return PageResponse(download: Array(try proof.json()), type: "application/json", name: "\(id.short).proof.json")
    }
}
