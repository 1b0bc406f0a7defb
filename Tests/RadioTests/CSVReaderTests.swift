import GroundwaveADIF
import GroundwaveRadio
import GroundwaveSeededNumbers
import Testing

@Suite struct `A table of contacts` {
    /// What the reader makes of `text`, given in pieces of this size.
    private func read(_ text: String, pieces: Int = 7) -> [ADIFItem] {
        var reader = CSVReader()
        var items: [ADIFItem] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            reader.append(Array(bytes[start..<min(start + pieces, bytes.count)]))
            while let item = reader.next() { items.append(item) }
        }
        reader.finish()
        while let item = reader.next() { items.append(item) }
        return items
    }

    private func records(_ items: [ADIFItem]) -> [[String]] {
        items.map { item in
            guard case .record(let record) = item else { return ["rejected"] }
            return record.fields.map { "\($0.name)=\($0.text.string)" }
        }
    }

    @Test(arguments: [1, 3, 1000])
    func `is read by the names of its first row`(pieces: Int) {
        let text = "\u{FEFF}call,Name,comment\r\nN0A,\"Smith, Jim\",\"two\nlines \"\"x\"\"\"\r\n\r\nN0B,,=x\nN0C,Ann"
        #expect(
            records(read(text, pieces: pieces)) == [
                ["CALL=N0A", "NAME=Smith, Jim", "COMMENT=two\nlines \"x\""], ["CALL=N0B", "COMMENT==x"],
                ["CALL=N0C", "NAME=Ann"],
            ])
        #expect(records(read("CALL;NAME\nN0A;a,b\n")) == [["CALL=N0A", "NAME=a,b"]])
        #expect(records(read("CALL\tNAME\nN0A\t'=1\n")) == [["CALL=N0A", "NAME==1"]])
    }

    @Test func `a bad row is refused, and the rows behind it are read`() {
        let text = "CALL,NAME\nN0A,x,y\nN0B,a\"b\nN0C,\"open\nN0D,z\n"
        let items = read(text)
        #expect(records(items) == [["rejected"], ["rejected"], ["rejected"]])
        #expect(
            records(read("CALL,NAME\nN0A,x,y\nN0B,a\"b\nN0C,c\n")) == [
                ["rejected"], ["rejected"], ["CALL=N0C", "NAME=c"],
            ])
        for other in ["NAME,QTH\nJim,Here\n", "CALL,CALL\nN0A,N0A\n", "CALL,NA:ME\nN0A,x\n"] {
            guard case .rejected(let rejection)? = read(other).first else {
                Issue.record("\(other)")
                continue
            }
            #expect(rejection.code == .notADIF && read(other).count == 1)
        }
    }

    @Test(arguments: UInt64(1)...200)
    func `comes back from cells that are quoted as RFC 4180 says`(seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        let letters = Array("ab,;\"\n\r '=+-@7\u{E4}")
        let rows = (0..<Int.random(in: 1...5, using: &numbers)).map { row in
            ["N0C\(row)"]
                + (0..<3).map { _ in
                    String(
                        (0..<Int.random(in: 0...6, using: &numbers)).map { _ in letters.randomElement(using: &numbers)!
                        })
                }
        }
        func quoted(_ value: String) -> String {
            let isRun = SpreadsheetGuard.isNeeded(by: Array(value.utf8)[...])
            return "\"\((isRun ? "'" : "") + value.replacing("\"", with: "\"\""))\""
        }
        var text = "CALL,NAME,QTH,COMMENT\r\n"
        for row in rows { text += row.map(quoted).joined(separator: ",") + "\r\n" }
        let names = ["CALL", "NAME", "QTH", "COMMENT"]
        let expected = rows.map { row in zip(names, row).filter { !$1.isEmpty }.map { "\($0)=\($1)" } }
        #expect(records(read(text, pieces: Int.random(in: 1...20, using: &numbers))) == expected)
    }
}
