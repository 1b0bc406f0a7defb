import GroundwaveADIF
import GroundwaveRadio
import Synchronization

/// The file of an import, read piece by piece.
final class ImportFile: Sendable {
    /// A part of the file, and the problems with it.
    struct Item: Sendable {
        enum Content: Sendable {
            /// A header: the program that it names, and the text of one of Cabrillo; empty for none.
            case header(program: String, cabrillo: String)
            case record(ImportedRecord)
            /// What is no contact; its remark says why.
            case rejected
        }

        let content: Content
        let remarks: [ImportRemark]
    }

    private struct State {
        var reader: LogReader
        /// `nil` before the first bytes were read.
        var file: UnpackedFile?
        /// How the file ended; `nil` as long as there is more of it.
        var end: Result<Void, any Error>?
    }

    private let name: String
    private let adjustment: ImportAdjustment?
    private let chunks: @Sendable () throws -> [UInt8]?
    private let state: Mutex<State>

    /// The number of items that are read at once.
    private static let itemCount = 1000

    /// - Parameter chunks: The bytes of the file piece by piece, and `nil` at its end.
    init(name: String, _ options: ImportOptions, _ chunks: @escaping @Sendable () throws -> [UInt8]?) {
        self.name = name
        self.chunks = chunks
        let isAdjusted = !options.assignments.isEmpty || options.shiftMinutes != 0
        adjustment =
            isAdjusted
            ? ImportAdjustment(assignments: options.assignments, shiftMinutes: options.shiftMinutes) : nil
        state = Mutex(State(reader: LogReader(format: options.format)))
    }

    /// Returns the next items, in the order of the file; none at its end. What cannot be read further is an error only after
    /// all items before it.
    func nextItems() throws -> [Item] {
        try state.withLock { state in
            var items: [Item] = []
            while items.count < Self.itemCount {
                if let item = state.reader.next() {
                    items.append(self.item(item, isCabrillo: state.reader.isCabrillo))
                    continue
                }
                guard let end = state.end else {
                    switch Result(catching: { try nextBytes(&state) }) {
                    case .success(let chunk?): state.reader.append(chunk)
                    case .success(nil):
                        state.reader.finish()
                        state.end = .success(())
                    case .failure(let error): state.end = .failure(error)
                    }
                    continue
                }
                if items.isEmpty { try end.get() }
                break
            }
            return items
        }
    }

    private func nextBytes(_ state: inout State) throws -> [UInt8]? {
        if state.file == nil { state.file = try UnpackedFile(name, chunks) }
        return try state.file?.next()
    }

    private func item(_ item: ADIFItem, isCabrillo: Bool) -> Item {
        switch item {
        case .header(let header):
            return Item(
                content: .header(
                    program: header.fields.text(.programID) ?? "",
                    cabrillo: isCabrillo ? String(decoding: header.text, as: UTF8.self) : ""),
                remarks: header.warnings.map { ImportRemark($0, in: name) })
        case .rejected(let rejection):
            return Item(content: .rejected, remarks: [ImportRemark(rejection, in: name)])
        case .record(var record):
            var remarks = record.warnings.map { ImportRemark($0, in: name) }
            if let adjustment { record.fields = adjustment.applied(to: record.fields) }
            remarks += EntryCheck.problems(of: record.fields).map { ImportRemark($0, in: record, of: name) }
            guard record.fields.text(.call) != nil else {
                return Item(content: .rejected, remarks: remarks + [ImportRemark(noCall: record, in: name)])
            }
            return Item(content: .record(ImportedRecord(record)), remarks: remarks)
        }
    }
}

extension ImportRemark {
    fileprivate init(_ warning: ADIFWarning, in file: String) {
        self.init(
            file: file, record: warning.recordNumber, offset: warning.byteOffset, field: warning.field?.name ?? "",
            code: warning.code.rawValue, message: warning.code.explanation, isRejection: false)
    }

    fileprivate init(
        _ found: (field: FieldName, problem: EntryCheck.Problem), in record: ADIFRecord, of file: String
    ) {
        self.init(
            file: file, record: record.number, offset: record.byteOffset, field: found.field.name,
            code: found.problem.rawValue, message: found.problem.explanation, isRejection: false)
    }

    fileprivate init(_ rejection: ADIFRejection, in file: String) {
        self.init(
            file: file, record: rejection.recordNumber, offset: rejection.byteRange.lowerBound,
            field: rejection.field?.name ?? "", code: rejection.code.rawValue, message: rejection.code.explanation,
            isRejection: true)
    }

    /// A record without a call is no contact.
    fileprivate init(noCall record: ADIFRecord, in file: String) {
        self.init(
            file: file, record: record.number, offset: record.byteOffset, field: "CALL", code: "no-call",
            message: "The record has no CALL, so it is not a contact.", isRejection: true)
    }
}
