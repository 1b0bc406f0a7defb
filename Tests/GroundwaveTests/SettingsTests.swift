import Everything
import Foundation
import Groundwave
import GroundwaveSettings
import GroundwaveTesting
import Testing

@Suite struct `Settings of a store` {
    @Test func `a key on the list travels, any other stays in this device's file`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let synced = try await store.set(setting: "defaultPower", to: "5")
        let local = try await store.set(setting: "windowWidth", to: "800")
        #expect(synced.batch != nil)
        #expect(local.batch == nil)
        #expect(try store.settings().map(\.key) == ["defaultPower", "windowWidth"])
        #expect(try store.settings().map(\.travels) == [true, false])
        let file = temporary.url.appending(path: "settings.json")
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        #expect(!(try String(contentsOf: file, encoding: .utf8)).contains("defaultPower"))
        #expect(try await store.set(setting: "defaultPower", to: "5").batch == nil, "it is so already")
        _ = try await store.set(setting: "windowWidth", to: nil)
        #expect(try store.setting("windowWidth") == nil)
    }

    @Test(arguments: [
        ("defaultPower", "five"), ("potaActivationGoal", "ten"), ("usesMetric", "yes"),
        ("stationProfiles", "not base64!"), ("two words", "x"),
        ("", "x"),
    ])
    func `a value that is not of the key's type is refused`(key: String, value: String) async throws {
        let temporary = try await TemporaryStore(.full())
        let error = try await #require(
            throws: StoreError.self, performing: { try await temporary.store.set(setting: key, to: value) })
        #expect(error.code == .usage)
        #expect(try temporary.store.settings().isEmpty)
    }

    @Test(arguments: [
        ("qrzPassword", "x"), ("API-Token", "x"), ("lotw_login", "x"), ("theme", "ghp_0123456789abcdef"),
        ("theme", "Bearer 0123456789abcdef0123"), ("theme", "-----BEGIN PRIVATE KEY-----"),
        ("defaultRig", "password=hunter2"), ("windowTitle", "AKIAIOSFODNN7EXAMPLE"),
    ])
    func `credentials are refused, and the refusal does not repeat them`(key: String, value: String) async throws {
        let temporary = try await TemporaryStore(.full())
        let error = try await #require(
            throws: StoreError.self, performing: { try await temporary.store.set(setting: key, to: value) })
        #expect(error.code == .notPermitted)
        if value.count > 1 { #expect(!"\(error)".contains(value)) }
        #expect(!"\(error)".contains(key) || key == "theme")
        #expect(try temporary.store.settings().isEmpty)
    }

    @Test(arguments: [
        ("theme", "Basic dark"), ("defaultRig", "FT-891 (bearer of bad news)"), ("defaultKey", "Begali"),
        ("potaSpotComment", "No secrets here: 100% CW"), ("operatorName", "Sk"), ("keys", "Straight key,Paddle"),
        ("activityLogName", "deadbeefdeadbeef"),
    ])
    func `what only sounds like a credential is kept`(key: String, value: String) async throws {
        let temporary = try await TemporaryStore(.full())
        _ = try await temporary.store.set(setting: key, to: value)
        #expect(try temporary.store.setting(key)?.value == value)
    }

    @Test func `an exported file brings every setting back, of every type`() async throws {
        let first = try await TemporaryStore(.full())
        let values = [
            ("usesMetric", "true"), ("keyboardRow", "false"), ("defaultPower", "1"), ("defaultRST", "599"),
            ("rigs", "KX2,FT-891"), ("keys", ""), ("stationProfiles", "W3sibmFtZSI6IkEifV0="), ("theme", "därk \"x\""),
        ]
        for (key, value) in values { _ = try await first.store.set(setting: key, to: value) }
        _ = try await first.store.set(setting: "windowWidth", to: "800")
        let file = try first.store.exportSettings()
        #expect(!String(decoding: file, as: UTF8.self).contains("windowWidth"), "what stays is not exported")
        let second = try await TemporaryStore(.full())
        let report = try await second.store.importSettings(file, named: "settings.json")
        #expect(report.imported.count == values.count)
        for (key, value) in values { #expect(try second.store.setting(key)?.value == value) }
        #expect(try second.store.exportSettings() == file)
        let again = try await second.store.importSettings(file, named: "settings.json")
        #expect(again.imported.isEmpty)
        #expect(again.unchanged.count == values.count)
    }

    @Test func `an import takes what it can, and tells the rest apart`() async throws {
        let temporary = try await TemporaryStore(.full())
        let file = """
            {"settings": {"usesMetric": true, "defaultPower": "much", "theme": {"a": 1}, "foo": 1, "apiToken": "x", \
            "rigs": ["a,b"], "defaultRST": "599"}}
            """
        let report = try await temporary.store.importSettings(Array(file.utf8), named: "x.json")
        #expect(report.imported == ["defaultRST", "usesMetric"])
        #expect(report.rejected == ["defaultPower", "rigs", "theme"])
        #expect(report.unknown == ["foo"])
        #expect(report.credentials == 1)
        await #expect(throws: StoreError.self) {
            try await temporary.store.importSettings(Array("[]".utf8), named: "x.json")
        }
    }

    @Test func `of a hundred planted credentials no file of the store holds one, in any of six encodings`() async throws
    {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        _ = try await store.set(setting: "defaultRig", to: "KX2")
        var generator = SeededGenerator(seed: 42)
        let keys = [
            "qrzPassword", "lotwSecret", "API_KEY", "clublog.appPassword", "accessKey", "sessionId", "authToken",
        ]
        let neutral = ["defaultRig", "theme", "potaSpotComment", "windowTitle", "stationProfiles", "rigs"]
        var planted: [String] = []
        for number in 0..<100 {
            let letters = Array("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789")
            let random = String((0..<24).map { _ in letters[Int(generator.next() % UInt64(letters.count))] })
            let credential = "ghp_\(random)\"%"
            planted.append(credential)
            let form = Encodings.all(credential)[number % 6]
            await #expect(throws: StoreError.self) {
                try await store.set(setting: keys[number % keys.count], to: form)
            }
            await #expect(throws: StoreError.self, "encoding \(number % 6)") {
                try await store.set(setting: neutral[number % neutral.count], to: form)
            }
            let file = try JSONSerialization.data(
                withJSONObject: ["settings": [keys[number % keys.count]: form, neutral[number % neutral.count]: form]])
            let report = try await store.importSettings([UInt8](file), named: "planted.json")
            #expect(report.credentials == 2)
        }
        try store.close()
        var files = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: temporary.url.path) {
            let bytes = try Data(contentsOf: temporary.url.appending(path: name))
            files += 1
            for credential in planted {
                for form in Encodings.bytes(credential) { #expect(bytes.range(of: form) == nil, "\(name)") }
            }
        }
        #expect(files >= 3)
    }
}

/// The ways in which a credential may stand somewhere.
private enum Encodings {
    /// As texts: plain, base64, hex, percent signs, JSON escapes, backwards.
    static func all(_ text: String) -> [String] {
        let bytes = Array(text.utf8)
        let hex = bytes.map { String(format: "%02x", $0) }
        return [
            text, Data(bytes).base64EncodedString(), hex.joined(), hex.map { "%" + $0 }.joined(),
            text.utf16.map { String(format: "\\u%04x", $0) }.joined(), String(text.reversed()),
        ]
    }

    /// As bytes: those, and UTF-16 in both orders.
    static func bytes(_ text: String) -> [Data] {
        all(text).map { Data($0.utf8) } + [
            Data(text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }),
            Data(text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }),
        ]
    }
}
