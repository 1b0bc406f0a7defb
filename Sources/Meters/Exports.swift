// What `import GroundwaveMeters` shows besides this module: the engine, and the types named here.
@_exported import Groundwave

@_exported import struct GroundwaveMeterProtocols.DecodedRows
@_exported import struct GroundwaveMeterProtocols.MeterDecoder
@_exported import enum GroundwaveMeterProtocols.MeterModel
@_exported import struct GroundwaveMetering.BlockSummary
@_exported import struct GroundwaveMetering.Calibration
@_exported import struct GroundwaveMetering.CapturedBytes
@_exported import struct GroundwaveMetering.Cell
@_exported import struct GroundwaveMetering.Channel
@_exported import struct GroundwaveMetering.ChannelCorrection
@_exported import struct GroundwaveMetering.DecimalNumber
@_exported import struct GroundwaveMetering.JoinedSummary
@_exported import struct GroundwaveMetering.Layout
@_exported import struct GroundwaveMetering.MACAddress
@_exported import struct GroundwaveMetering.Mark
@_exported import struct GroundwaveMetering.MissingRows
@_exported import struct GroundwaveMetering.ReadMoment
@_exported import struct GroundwaveMetering.Reception
@_exported import struct GroundwaveMetering.RowBefore
@_exported import struct GroundwaveMetering.RowPattern
@_exported import enum GroundwaveMetering.SampleSharing
@_exported import enum GroundwaveMetering.SummaryPart
@_exported import enum GroundwaveMetering.TemperatureUnit
@_exported import struct GroundwaveMetering.Totals
@_exported import enum GroundwaveMetering.TraceEnd
@_exported import struct GroundwaveMetering.TraceRows
@_exported import enum GroundwaveTraceFiles.TraceExportFormat
@_exported import struct GroundwaveTraceFiles.TraceExportOptions
@_exported import struct GroundwaveTracePlot.Plot
@_exported import enum GroundwaveTracePlot.PlotError
@_exported import struct GroundwaveTracePlot.PlotSeries
