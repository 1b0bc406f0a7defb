@_exported import Groundwave

@_exported import class GroundwaveReplication.MemoryTransport
