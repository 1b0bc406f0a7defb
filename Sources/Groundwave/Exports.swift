@_exported import GroundwaveAuditing
@_exported import GroundwaveEvents
// The engine, for records of an application's own: `import Groundwave` brings all that its call sites name.
@_exported import GroundwaveProjections
@_exported import GroundwaveRecords
@_exported import GroundwaveRecovering
@_exported import GroundwaveStore
@_exported import GroundwaveSyncing

@_exported import struct GroundwaveLogFormat.Arrival
