// `import Groundwave` is all an application writes: what the call sites name comes with it. The engine underneath (log,
// storage) does not.
@_exported import ADIF
@_exported import Events
@_exported import Metering
@_exported import Projections
@_exported import Radio
@_exported import Records
@_exported import Settings

@_exported import struct EventLog.Arrival
