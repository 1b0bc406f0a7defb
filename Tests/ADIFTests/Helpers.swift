import Foundation

@testable import GroundwaveADIF

/// The items of an ADI text given as a string.
func items(_ text: String) -> [ADIFItem] { ADIReader.items(in: Array(text.utf8)) }

extension [ADIFItem] {
    var headers: [ADIFHeader] { compactMap { if case .header(let header) = $0 { header } else { nil } } }
    var records: [ADIFRecord] { compactMap { if case .record(let record) = $0 { record } else { nil } } }
    var rejections: [ADIFRejection] { compactMap { if case .rejected(let part) = $0 { part } else { nil } } }
    var warnings: [ADIFWarning.Code] {
        headers.flatMap(\.warnings).map(\.code) + records.flatMap(\.warnings).map(\.code)
    }
}

extension ADIFFields {
    /// The text of the field that counts under `name`, with its blanks; nil if there is none.
    func exactText(_ name: FieldName) -> String? { self[name]?.text.string }
}

extension RandomNumberGenerator {
    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    mutating func element<Element>(_ elements: [Element]) -> Element { elements[number(0...elements.count - 1)] }

    /// Up to `maximum` bytes that a reader could stumble over: brackets, digits, tags, UTF-8 and Latin-1.
    mutating func hostileBytes(maximum: Int) -> [UInt8] {
        let pieces: [[UInt8]] = [
            Array("<".utf8), Array(">".utf8), Array(":".utf8), Array("<EOR>".utf8), Array("<eoh>".utf8),
            Array("<CALL:60>".utf8), Array("//".utf8), Array("\r\n".utf8), Array("é".utf8), Array("日本".utf8),
            Array("📻".utf8), [0xE9], [0x80], [0x00], Array(" ".utf8), Array("73".utf8), Array("abc".utf8),
        ]
        var bytes: [UInt8] = []
        while bytes.count < maximum, number(0...9) > 0 { bytes += element(pieces) }
        return Array(bytes.prefix(maximum))
    }

    /// A record without repeated fields and with a random order, spelling and type letters.
    mutating func record(number: Int) -> ADIFRecord {
        var names = FieldName.allKnown.filter { !$0.isHeaderField }.shuffled(using: &self).prefix(self.number(1...12))
            .map(\.self)
        names.append(FieldName("APP_GROUNDWAVE_\(self.number(0...99))"))
        if !names.contains(.call) { names.insert(.call, at: self.number(0...names.count)) }
        var fields = ADIFFields()
        for name in names {
            let value = name == .call ? Array("N0CALL".utf8) : hostileBytes(maximum: 40)
            let spelling = self.number(0...3) == 0 ? name.name.lowercased() : name.name
            let type: UInt8? = self.number(0...5) == 0 ? UInt8(ascii: "S") : nil
            fields.append(name, value: value, typeIndicator: type, writtenName: spelling)
        }
        return ADIFRecord(number: number, fields: fields)
    }
}

/// Files of the repository and of the collection of real logs that may lie beside it.
enum Files {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    static let fixtures = root.appending(path: "Fixtures/adif")

    /// The folder with the collection; nil, with a printed reason, if this machine does not have it.
    static let collection: URL? = {
        var folder = root
        for _ in 0..<3 {
            folder = folder.deletingLastPathComponent()
            let candidate = folder.appending(path: "shared/adif")
            if FileManager.default.fileExists(atPath: candidate.path) { return candidate }
        }
        print("The collection of real logs is not on this machine: the tests that read it are skipped.")
        return nil
    }()

    static func bytes(_ url: URL) throws -> [UInt8] { [UInt8](try Data(contentsOf: url)) }
}
