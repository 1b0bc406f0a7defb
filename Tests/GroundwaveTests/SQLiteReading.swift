import Foundation
import Testing

/// All rows of `query` on the database at `path`, as Python's own sqlite3 finds them, which knows nothing of what wrote it:
/// by column the text of a value, a blob as hexadecimal digits with an `h` behind them; what is NULL is left out.
func sqliteRows(_ path: String, _ query: String) throws -> [[String: String]] {
    let script = """
        import json, sqlite3, sys
        database = sqlite3.connect("file:" + sys.argv[1] + "?mode=ro", uri=True)
        assert database.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        database.row_factory = sqlite3.Row
        for row in database.execute(sys.argv[2]):
            print(json.dumps({k: row[k].hex() + "h" if isinstance(row[k], bytes) else str(row[k])
                              for k in row.keys() if row[k] is not None}))
        """
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", "-c", script, path, query]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    return try String(decoding: output, as: UTF8.self).split(separator: "\n").map {
        try JSONDecoder().decode([String: String].self, from: Data($0.utf8))
    }
}
