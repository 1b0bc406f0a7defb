// What `import GroundwaveLogbook` shows besides this module: the engine, and the types named here.
@_exported import Groundwave

@_exported import struct GroundwaveADIF.ADIFField
@_exported import struct GroundwaveADIF.ADIFFields
@_exported import enum GroundwaveADIF.Band
@_exported import enum GroundwaveADIF.FieldDataType
@_exported import struct GroundwaveADIF.FieldName
@_exported import struct GroundwaveADIF.Frequency
@_exported import struct GroundwaveADIF.Mode
@_exported import struct GroundwaveRadio.Contact
@_exported import struct GroundwaveRadio.ContactCounts
@_exported import struct GroundwaveRadio.ContactFacts
@_exported import struct GroundwaveRadio.ContactGroups
@_exported import struct GroundwaveRadio.ContactQuery
@_exported import struct GroundwaveRadio.DuplicateGroup
@_exported import struct GroundwaveRadio.DuplicatePair
@_exported import struct GroundwaveRadio.DuplicateRank
@_exported import struct GroundwaveRadio.EntryProblem
@_exported import struct GroundwaveRadio.FieldCondition
@_exported import enum GroundwaveRadio.LogFormat
@_exported import struct GroundwaveRadio.OperatingSession
@_exported import struct GroundwaveRadio.SessionPhoto
@_exported import enum GroundwaveSettings.SettingType
