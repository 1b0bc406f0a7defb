import Foundation
import GroundwaveTesting
import Testing

/// What comes from a file or a file name must not steer the terminal.
@Suite struct `Control characters` {
    /// Escape sequences, a bell, a C1 control, a line break, and a turn of the direction of writing.
    static let hostile = "\u{1B}]0;x\u{7}\u{1B}[31m\u{9B}2J\r\u{202E}"

    /// Characters that a terminal acts on, but for the ends of lines.
    private func controls(in text: String) -> [Unicode.Scalar] {
        text.unicodeScalars.filter {
            ($0.value < 0x20 && $0 != "\n") || (0x7F...0x9F).contains($0.value) || (0x202A...0x202E).contains($0.value)
                || (0x2066...0x2069).contains($0.value)
        }
    }

    private func hostileStore() throws -> (folder: TemporaryFolder, store: String) {
        let folder = try TemporaryFolder()
        let store = folder.path("store")
        let refused = try Program.groundwave("init", "--store", store, "--name", "a\(Self.hostile)b")
        #expect(refused.ended(64) && controls(in: refused.errors).isEmpty, "\(refused.errors.debugDescription)")
        #expect(try Program.groundwave("init", "--store", store, "--name", "shack").ended(0))
        func field(_ name: String, _ value: String) -> String { "<\(name):\(value.utf8.count)>\(value)" }
        let record =
            field("CALL", "N0\(Self.hostile)X") + field("QSO_DATE", "20240101") + field("TIME_ON", "1200")
            + field("MODE", "C\u{1B}[2JW") + field("BAND", "20\u{7}m") + field("COMMENT", Self.hostile)
            + field("STATION_CALLSIGN", "N0\u{1B}[AME") + "<EOR>\n"
        let path = folder.path("log\(Self.hostile.filter { $0 != "/" }).adi")
        try Data("<EOH>\n\(record)<CALL:9999>broken\(Self.hostile)<EOR>".utf8).write(to: URL(filePath: path))
        let imported = try Program.groundwave("import", path, "--store", store, "--source", "s\u{1B}[1m")
        #expect(controls(in: imported.output).isEmpty, "\(imported.output.debugDescription)")
        #expect(controls(in: imported.errors).isEmpty, "\(imported.errors.debugDescription)")
        #expect(imported.output.contains("imported: "), "\(imported.output) \(imported.errors)")
        return (folder, store)
    }

    @Test func `of a log file never reach the terminal raw`() throws {
        let (folder, store) = try hostileStore()
        for arguments in [
            ["qso", "list"], ["qso", "show", "last"], ["qso", "count", "--by", "mode"], ["qso", "worked", "N0X"],
            ["conflicts", "list"], ["record", "list", "import"],
        ] {
            let outcome = try Child(Program.path("groundwave"), arguments + ["--store", store]).wait()
            #expect(!outcome.wasKilled)
            #expect(controls(in: outcome.output).isEmpty, "\(arguments): \(outcome.output.debugDescription)")
            #expect(controls(in: outcome.errors).isEmpty, "\(arguments): \(outcome.errors.debugDescription)")
        }
        withExtendedLifetime(folder) {}
    }

    @Test func `of an argument never reach the terminal raw`() throws {
        let (folder, store) = try hostileStore()
        let bad = "no\(Self.hostile)file"
        for arguments in [
            ["import", bad, "--store", store], ["qso", "list", "--store", folder.path(bad)],
            ["qso", "show", bad, "--store", store], ["qso", "list", "--since", bad, "--store", store],
            ["qso", "add", "N0CALL", "BAND=\(bad)", "--store", store], ["settings", "get", bad, "--store", store],
            ["export", "-o", folder.path("\(bad)/x"), "--store", store], [bad], ["qso", bad],
        ] {
            for json in [[], ["--json"]] {
                let outcome = try Child(Program.path("groundwave"), arguments + json).wait()
                #expect(!outcome.wasKilled)
                let said = outcome.output + outcome.errors
                #expect(controls(in: said).isEmpty, "\(arguments + json): \(said.debugDescription)")
            }
        }
    }
}
