import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveMetering
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore

/// The items of a block, or why they are not available.
enum BlockContent<Items: Sendable>: Sendable {
    /// The items are here.
    case here(Items)
    /// They are withheld intentionally: removed as old, kept on another device, erased or archived.
    case withheld
    /// The event that contains them is not in the log.
    case lost
    /// The event contains something else than the views state.
    case another
    /// They are in the log but cannot be read, for this reason.
    case unreadable(String)

    /// The items, if they are here.
    var items: Items? {
        if case .here(let items) = self { return items }
        return nil
    }
}

extension Reading {
    /// Returns what `make` makes of the items of `block`, if its event matches the views and `isSame` accepts its
    /// summary.
    ///
    /// - Throws: ``StoreError`` if the log cannot be read at all. Damage and errors of `make` are not thrown: they
    ///   give ``BlockContent/unreadable(_:)``.
    func content<Items>(
        of block: StoredBlock, where isSame: (_ summary: RawSpan) -> Bool, _ make: (RawSpan) throws -> Items
    ) throws -> BlockContent<Items> {
        try event(of: block) { frame, bytes in
            let shape = bytes.extracting(frame.shape)
            guard frame.id == block.event,
                var reader = try? ChangeReader(shape: shape, isWithheld: frame.isWithheld, by: frame.names(in: bytes)),
                let stored = reader.block, (stored.first, stored.count) == (block.first, block.count),
                isSame(shape.extracting(stored.summary))
            else { return .another }
            if frame.isWithheld { return .withheld }
            let values = bytes.extracting(frame.values)
            try reader.skipNote(in: values)
            guard let content = try reader.blockContent(in: values) else { return .another }
            return .here(try make(values.extracting(content)))
        }
    }

    /// Returns the size in bytes of the event that has the items of `block`.
    func byteCount(of block: StoredBlock) throws -> BlockContent<Int> {
        try event(of: block) { frame, _ in frame.isWithheld ? .withheld : .here(frame.length) }
    }

    private func event<Items>(
        of block: StoredBlock, _ body: (Frame, RawSpan) throws -> BlockContent<Items>
    ) throws -> BlockContent<Items> {
        do {
            guard block.position > 0 else {
                return try log.withholding(of: block.event) == .absent ? .lost : .withheld
            }
            return try log.withEvent(at: block.position) { frame, bytes in
                if frame.isLost { return .lost }
                do { return try body(frame, bytes) } catch { return .unreadable("\(error)") }
            } ?? .lost
        } catch {
            guard error is EventLogError || (error as? LMDBError)?.meansDamage == true else { throw error }
            return .unreadable(StoreError.wrapping(error, file: StoreFiles(url).log).message)
        }
    }
}
