// The engine with power meters: `import GroundwaveMeters` brings all that its call sites name.
@_exported import Groundwave
@_exported import GroundwaveMeterProtocols
@_exported import GroundwaveMetering
@_exported import GroundwaveTraceFiles
@_exported import GroundwaveTracePlot
