// `import Groundwave` is the only import an application needs: it re-exports the types that appear at call sites. The
// engine underneath (log, storage) is not re-exported.
@_exported import ADIF
@_exported import Events
@_exported import Metering
@_exported import Projections
@_exported import Radio
@_exported import Records
@_exported import Settings

@_exported import struct EventLog.Arrival
