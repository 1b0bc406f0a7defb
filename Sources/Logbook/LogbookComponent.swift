import GroundwaveAuditing
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveSettings
import GroundwaveStore
import GroundwaveSyncing

extension StoreComponent {
    /// The logbook: contacts, operating sessions, stations, settings, and the mirror of them in a folder.
    public static let logbook: StoreComponent = {
        var component = StoreComponent(name: "logbook")
        component.kinds = Radio.allKinds + Settings.allKinds
        component.maintenance = [
            MaintenanceTask(name: "mirror", isPending: { try $0.mirror() != nil }) { store in
                guard try store.isMirrorDue() else { return false }
                try store.writeMirror()
                return true
            }
        ]
        component.service = LogbookSyncEngine()
        component.author = { view, replica in try view.openSession(of: replica)?.author }
        component.contentDigest = { view in
            let digest = try view.contentDigest()
            return (digest.hash, digest.contacts)
        }
        component.label = { record in record.kind == QSOKind.name ? record.text("CALL") : nil }
        component.checkErase = { store, kind, ids, note in
            if kind == QSOKind.name { try store.refuse(note, naming: ids) }
        }
        component.relatedIDs = { view, roster, kind, changes in
            guard kind == QSOKind.name else { return [] }
            return try ContactIDs(key: view.idKey(by: roster)).erased(with: changes)
        }
        return component
    }()
}

extension Store {
    fileprivate func isMirrorDue() throws -> Bool {
        try describing {
            let (position, now) = (try log.lastPosition(), surroundings.now().wallMilliseconds)
            return try syncFile.read().mirror?.isDue(position: position, now: now) ?? false
        }
    }

    /// Throws if `note`, which stays for ever, names the call of one of the contacts that are erased.
    fileprivate func refuse(_ note: String, naming ids: [RecordID]) throws {
        guard !note.isEmpty else { return }
        for id in ids {
            guard let call = try record(QSOKind.name, id).map({ ContactFacts($0).call }), !call.isEmpty else {
                continue
            }
            if WordSearch(call).isFound(in: Array(note.utf8)) {
                throw StoreError(
                    .usage, "The note contains \(call), and notes are never erased.",
                    hint: "Write the note without the call.")
            }
        }
    }
}
