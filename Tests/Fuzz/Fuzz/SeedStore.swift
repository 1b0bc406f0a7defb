import Foundation
import GroundwaveADIF
import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveSeededNumbers

@testable import GroundwaveEventLog
@testable import GroundwaveLogFormat
@testable import GroundwaveProjections

/// A log with contacts, and its views.
final class SeedStore {
    let identity: Identity
    let log: EventLog
    let views: Views
    private let folder: URL
    private var numbers: SeededGenerator

    var replica: ReplicaID { identity.replica }

    init(in scratch: URL, name: String, seed: UInt64) throws {
        folder = scratch.appending(path: name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        numbers = SeededGenerator(seed: seed)
        identity = Identity.random(using: &numbers)
        log = try EventLog.create(at: folder.appending(path: "log.mdb").path, id: Target.log, epoch: 3)
        views = Views(of: log, kinds: Target.kinds, at: folder.appending(path: "views.mdb").path)
    }

    deinit {
        views.close()
        try? log.close()
    }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    func frame(_ first: UInt64, through last: UInt64) throws -> RangeFrame? {
        try log.frame(of: EventRange(replica, first, through: last), signedBy: identity)
    }

    /// Takes what `other` has from its number `first` on.
    func receive(from other: SeedStore, first: UInt64) throws {
        guard let frame = try other.frame(first, through: try other.log.vector()[other.replica]) else { return }
        _ = try log.receive([frame], arrival: .seed(50))
    }

    static func fields(_ number: Int) -> [(String, String)] {
        [
            ("CALL", "N\(number)CALL"), ("QSO_DATE", "2024010\(number + 1)"), ("TIME_ON", "120\(number)"),
            ("BAND", "40m"),
            ("FREQ", "7.03\(number)"), ("MODE", "CW"), ("RST_SENT", "599"), ("COMMENT", "fuer \u{00FC}bung"),
            ("MY_POTA_REF", "XX-000\(number)"),
        ]
    }

    /// Writes the contact `number`, or changes one: the third of each four is an edit, the fourth a delete.
    func write(_ number: Int) throws {
        try views.catchUp()
        let id = RecordID(high: 1, low: UInt64(number < 2 ? number : number % 4))
        let before = try views.read { try $0.record(QSOKind.name, id) }
        var operations: [FieldOperation] = []
        func set(_ key: FieldKey, _ value: [UInt8]) {
            operations.append(FieldOperation(.set, key, supersedes: before?.superseded(by: key) ?? [], value: value))
        }
        if number % 4 == 3 {
            operations = [FieldOperation(.delete, .life, supersedes: before?.coveredByDelete ?? [])]
        } else {
            let fields = Self.fields(number)
            for (name, value) in fields where FieldName(name).isKnown && name.hasPrefix("C") || name.hasPrefix("R") {
                set(.number(UInt32(FieldName(name).number)), Array(value.utf8))
            }
            set(.number(1001), Register([Array(fields[1].1.utf8), Array(fields[2].1.utf8)]).encode())
            set(.number(1003), Register([Array(fields[4].1.utf8), Array("40m".utf8)]).encode())
            set(.name("APP_N0CALL_X"), Array("v\(number)".utf8))
            operations.append(
                FieldOperation(.add, .number(UInt32(FieldName("MY_POTA_REF").number)), value: Array(fields[8].1.utf8)))
        }
        let source = number % 4 == 1 ? SourceID(rawValue: 9) : nil
        var batch = DraftBatch()
        batch.append(
            Change(
                kind: QSOKind.name, record: id, source: source, isTrusted: number % 8 == 1,
                related: number % 16 == 1 ? [RecordID(high: 5, low: UInt64(number))] : [], operations: operations),
            by: replica,
            note: AuditNote(author: "N0CALL", text: number % 4 == 2 ? "Corrected frequency" : ""), using: &numbers)
        if number == 5 {
            // A value with pages of its own.
            batch.append(
                Change(
                    kind: "spot", record: id,
                    operations: [FieldOperation(.set, .number(13), value: .init(repeating: 0x41, count: 2200))]),
                by: replica, using: &numbers)
        }
        _ = try log.append([batch], as: replica, arrival: .seed(number))
        try views.catchUp()
    }
}

extension Arrival {
    /// A moment that follows from `number`.
    static func seed(_ number: Int) -> Arrival {
        Arrival(
            wallMilliseconds: 1_700_000_000_000 + Int64(number), monotonicMilliseconds: Int64(number),
            boot: [UInt8](repeating: 9, count: 16))
    }
}
