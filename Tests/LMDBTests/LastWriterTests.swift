import Foundation
import GroundwaveLMDB
import Testing

@Suite("Who began to write last")
struct LastWriterTests {
    @Test("is the same one only while nobody else asks, and the file is there")
    func goesOn() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "groundwave-mark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "log.mdb").path
        let (one, other) = (LastWriter(of: path), LastWriter(of: path))
        #expect([one.goesOn(), one.goesOn(), one.goesOn()] == [false, true, true])
        #expect([other.goesOn(), one.goesOn(), one.goesOn()] == [false, false, true])
        one.forget()
        #expect([one.goesOn(), one.goesOn()] == [false, true])
        try FileManager.default.removeItem(atPath: path + "-writer")
        #expect([one.goesOn(), one.goesOn()] == [false, false], "others begin another file")
        let nowhere = LastWriter(of: folder.appending(path: "no/log.mdb").path)
        #expect([nowhere.goesOn(), nowhere.goesOn()] == [false, false])
    }
}
