// The engine with a logbook: `import GroundwaveLogbook` brings all that its call sites name.
@_exported import Groundwave
@_exported import GroundwaveADIF
@_exported import GroundwaveRadio
@_exported import GroundwaveSettings
