@_exported import GroundwaveLogbook
@_exported import GroundwaveMeters
