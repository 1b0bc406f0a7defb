import GroundwaveADIF

// Explanations of a file reader's warnings and rejections, for the person who imports the file.

extension ADIFWarning.Code {
    /// What was wrong, and how it was handled.
    var explanation: String {
        switch self {
        case .duplicateField:
            "The record has the field more than once; of comments and notes all are kept, else the last one counts."
        case .lengthInCharacters: "The length counts characters, not bytes; the whole value was taken."
        case .lengthMissing: "The tag has no length; the value was taken up to the end of its line."
        case .lengthWrong: "The length is wrong; the value was taken up to the next tag."
        case .malformedTag: "There is a stray < or > between the fields; it was ignored."
        case .noEndOfHeader: "The header has no end; it was read up to the first record."
        case .notUTF8: "The value is not UTF-8; it is shown as Windows-1252, and its bytes are kept."
        case .skippedText: "Text between the fields was ignored; it may be the rest of a value."
        case .typeUnknown: "The type in the tag is not an ADIF type; it was ignored."
        case .unexpectedElement: "There is an element that ADIF does not allow here."
        }
    }
}

extension ADIFRejection.Code {
    /// Why a part of the file was rejected.
    var explanation: String {
        switch self {
        case .damaged: "The beginning of the record is damaged."
        case .documentTooLarge: "The document is too large."
        case .fieldTooLong: "A field is longer than 64 KiB."
        case .forbiddenXML: "The document declares a type or an encoding that is not accepted."
        case .headerTooLong: "The header is longer than 1 MiB."
        case .malformedCSV: "The row has more cells than the table has columns, or a quote that does not end."
        case .malformedLine: "The line is not understood; a line is like 1205 w1aw 599 579."
        case .malformedQSO:
            "The line is not a contact in Cabrillo: frequency, mode, date, time, a call and what was sent, a call and what was received."
        case .noDate: "No line before gives a date and a time, such as date 2026-05-01 and 1205."
        case .malformedJSON: "The line is not a JSON object with the fields of a contact."
        case .malformedXML: "The document is not well-formed XML from here on."
        case .noEndOfRecord: "The record has no end."
        case .noFields: "The record has no fields."
        case .notADIF: "There is neither an ADIF header nor an ADIF field."
        case .recordTooLong: "The record is longer than 1 MiB."
        case .tooManyFields: "The record has more than 4,096 fields."
        case .truncated: "The file ends in the middle of the record."
        }
    }
}
