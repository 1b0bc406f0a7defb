import Foundation
import GroundwaveTesting

/// An ADIF log of made-up contacts, the same for the same seed.
///
/// Each record has its number in `APP_TEST_NUMBER`, so that what came in can be told exactly.
struct GeneratedLog {
    let path: String
    let count: Int
    private let folder: TemporaryFolder

    init(count: Int, seed: UInt64 = 1, noteLength: Int = 0) throws {
        self.count = count
        folder = try TemporaryFolder()
        path = folder.path("log.adi")
        var generator = SeededGenerator(seed: seed)
        var text = "Made-up contacts<PROGRAMID:7>Made up<EOH>\n"
        for number in 0..<count { text += Self.record(number, noteLength, &generator) }
        try Data(text.utf8).write(to: URL(filePath: path))
    }

    private static func record(_ number: Int, _ noteLength: Int, _ generator: inout SeededGenerator) -> String {
        func field(_ name: String, _ value: String) -> String { "<\(name):\(value.utf8.count)>\(value)" }
        let letters = (0..<3).map { _ in Character(Unicode.Scalar(UInt8.random(in: 65...90, using: &generator))) }
        let seconds = number * 7
        let (day, rest) = (seconds / 86_400, seconds % 86_400)
        var text = field("CALL", "N\(Int.random(in: 0...9, using: &generator))\(String(letters))")
        text += field("QSO_DATE", String(format: "2024%02d%02d", 1 + day / 28 % 12, 1 + day % 28))
        text += field("TIME_ON", String(format: "%02d%02d%02d", rest / 3600, rest / 60 % 60, rest % 60))
        text += field("FREQ", String(format: "14.%06d", Int.random(in: 0..<350_000, using: &generator)))
        text += field("MODE", "CW") + field("APP_TEST_NUMBER", String(number))
        if noteLength > 0 {
            let letter = Character(Unicode.Scalar(UInt8.random(in: 97...122, using: &generator)))
            text += field("NOTES", String(repeating: letter, count: noteLength))
        }
        return text + "<EOR>\n"
    }
}
