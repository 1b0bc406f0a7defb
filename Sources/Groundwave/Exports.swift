// The engine, for records of an application's own: what `import Groundwave` shows. Of the modules below the store, an
// application sees the types named here.
@_exported import GroundwaveAuditing
@_exported import GroundwaveObserving
@_exported import GroundwaveRecovering
@_exported import GroundwaveRemotes
@_exported import GroundwaveStore
@_exported import GroundwaveSyncing

@_exported import struct GroundwaveEvents.EventID
@_exported import struct GroundwaveEvents.EventRange
@_exported import struct GroundwaveEvents.EventSet
@_exported import struct GroundwaveEvents.Hash256
@_exported import struct GroundwaveEvents.LogID
@_exported import typealias GroundwaveEvents.Position
@_exported import struct GroundwaveEvents.RecordID
@_exported import struct GroundwaveEvents.ReplicaID
@_exported import typealias GroundwaveEvents.SequenceNumber
@_exported import struct GroundwaveEvents.SignedHead
@_exported import enum GroundwaveEvents.SignedHeadError
@_exported import struct GroundwaveEvents.Stamp
@_exported import struct GroundwaveEvents.VersionVector
@_exported import enum GroundwaveEvents.Withholding
@_exported import struct GroundwaveLogFormat.Arrival
@_exported import protocol GroundwavePeering.ByteStream
@_exported import struct GroundwaveProjections.DerivedTable
@_exported import struct GroundwaveProjections.EventFilter
@_exported import struct GroundwaveProjections.SnapshotID
@_exported import struct GroundwaveProjections.SnapshotInformation
@_exported import struct GroundwaveProjections.UnreadEvent
@_exported import struct GroundwaveProjections.ViewDigest
@_exported import struct GroundwaveProjections.ViewReader
@_exported import struct GroundwaveRecords.Assignment
@_exported import struct GroundwaveRecords.AuditNote
@_exported import struct GroundwaveRecords.CalendarDay
@_exported import struct GroundwaveRecords.Change
@_exported import enum GroundwaveRecords.FieldKey
@_exported import struct GroundwaveRecords.FieldProblem
@_exported import struct GroundwaveRecords.FieldSchema
@_exported import struct GroundwaveRecords.FormerField
@_exported import struct GroundwaveRecords.HeadID
@_exported import struct GroundwaveRecords.IndexEntries
@_exported import struct GroundwaveRecords.IndexSchema
@_exported import struct GroundwaveRecords.InvalidValue
@_exported import struct GroundwaveRecords.KindSchema
@_exported import struct GroundwaveRecords.Kinds
@_exported import enum GroundwaveRecords.ListSyntax
@_exported import enum GroundwaveRecords.MergePolicy
@_exported import struct GroundwaveRecords.ProjectedRows
@_exported import protocol GroundwaveRecords.Projection
@_exported import struct GroundwaveRecords.ProjectionKey
@_exported import struct GroundwaveRecords.Record
@_exported import struct GroundwaveRecords.RecordField
@_exported import struct GroundwaveRecords.RecordIndex
@_exported import protocol GroundwaveRecords.RecordKind
@_exported import protocol GroundwaveRecords.RecordValue
@_exported import struct GroundwaveRecords.Saved
@_exported import struct GroundwaveRecords.SeriesBlock
@_exported import struct GroundwaveRecords.SeriesSchema
@_exported import struct GroundwaveRecords.ShownValues
@_exported import struct GroundwaveRecords.SourceID
@_exported import protocol GroundwaveRecords.TypedRecord
@_exported import enum GroundwaveRecords.ValueType
@_exported import struct GroundwaveReplication.ObjectName
@_exported import struct GroundwaveReplication.ObjectPrefix
@_exported import enum GroundwaveReplication.PutOutcome
@_exported import protocol GroundwaveReplication.Transport
@_exported import enum GroundwaveReplication.TransportError
