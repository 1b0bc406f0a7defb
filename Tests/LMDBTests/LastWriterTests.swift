import Foundation
import GroundwaveLMDB
import Testing

@Suite("Who began to write last")
struct LastWriterTests {
    @Test("is the same one only while nobody else asks, and the file is there")
    func becomesLastWriter() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "groundwave-mark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "log.mdb").path
        let (one, other) = (LastWriter(of: path), LastWriter(of: path))
        #expect([one.becomeLastWriter(), one.becomeLastWriter(), one.becomeLastWriter()] == [false, true, true])
        #expect([other.becomeLastWriter(), one.becomeLastWriter(), one.becomeLastWriter()] == [false, false, true])
        one.forget()
        #expect([one.becomeLastWriter(), one.becomeLastWriter()] == [false, true])
        try FileManager.default.removeItem(atPath: path + "-writer")
        #expect([one.becomeLastWriter(), one.becomeLastWriter()] == [false, false], "others begin another file")
        let nowhere = LastWriter(of: folder.appending(path: "no/log.mdb").path)
        #expect([nowhere.becomeLastWriter(), nowhere.becomeLastWriter()] == [false, false])
    }
}
