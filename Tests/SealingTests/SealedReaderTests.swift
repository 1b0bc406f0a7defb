import Foundation
import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveSealing
import GroundwaveSeededNumbers
import Testing

/// The reader in Python, `Tests/SealedReader/sealed.py`, which shares no code with the library.
private enum SealedReader {
    static let script = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../SealedReader/sealed.py").standardizedFileURL

    /// Why the reader cannot run here, or `nil` if it can.
    static let absence: String? = {
        do {
            let needed = "from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305"
            let (status, _) = try run(["-c", needed])
            return status == 0 ? nil : "python3 with the package cryptography is not there"
        } catch { return "\(error)" }
    }()

    /// Runs Python; returns its exit code and what it printed.
    static func run(_ arguments: [String]) throws -> (status: Int32, output: [UInt8]) {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3"] + arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, Array(bytes))
    }
}

@Suite(.enabled(if: SealedReader.absence == nil, "needs python3 and its package cryptography"))
struct `A reader written from the tables alone` {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "sealed-\(UUID())")
    private let name = "stores/G20R50W4GP38F249HA5RS3CEHW/00000000000000000017.segment"

    private func write(_ bytes: [UInt8], _ file: String) throws -> String {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let url = folder.appending(path: file)
        try Data(bytes).write(to: url)
        return url.path
    }

    private func open(
        _ keyFile: [UInt8], _ object: [UInt8], name: String, passphrase: String = KeyFileSamples.passphrase
    ) throws -> (status: Int32, output: [UInt8]) {
        defer { try? FileManager.default.removeItem(at: folder) }
        return try SealedReader.run([
            SealedReader.script.path, "open", try write(keyFile, "keys"), try write(object, "object"), name,
            "--passphrase-file", try write(Array("\(passphrase)\n".utf8), "passphrase"),
        ])
    }

    private func sealed(_ content: [UInt8], with key: EpochKey) -> [UInt8] {
        var numbers = SeededGenerator(seed: 4)
        return SealedObject.seal(content, as: name, of: Samples.log, with: key, using: &numbers)
    }

    @Test(arguments: [0, 5, 100_000])
    func `opens what was sealed, with the passphrase`(byteCount: Int) throws {
        var numbers = SeededGenerator(seed: UInt64(byteCount))
        let content = numbers.bytes(byteCount)
        let key = try #require(([Samples.key] + KeyFileSamples.former).randomElement(using: &numbers))
        let (status, output) = try open(try KeyFileSamples.file(), sealed(content, with: key), name: name)
        #expect(status == 0 && output == content)
    }

    @Test func `refuses what was changed, another name and another passphrase`() throws {
        let (keyFile, object) = (try KeyFileSamples.file(), sealed(Samples.text, with: Samples.key))
        for index in stride(from: 0, to: keyFile.count, by: 80) {
            var changed = keyFile
            changed[index] ^= 1 << (index % 8)
            #expect(try open(changed, object, name: name) == (1, []), "byte \(index) of the key file")
        }
        for index in stride(from: 0, to: object.count, by: 15) {
            var changed = object
            changed[index] ^= 1 << (index % 8)
            #expect(try open(keyFile, changed, name: name) == (1, []), "byte \(index) of the object")
        }
        #expect(try open(keyFile, object, name: name + "s") == (1, []))
        #expect(try open(keyFile, object, name: name, passphrase: "seven fishes") == (1, []))
        #expect(try open(keyFile, object, name: name) == (0, Samples.text))
    }

    @Test func `refuses a key file of somebody who knows its passphrase's public key only`() throws {
        let object = sealed(Samples.text, with: Samples.key)
        let copied = KeyFileSamples.proofs
        for index in stride(from: 0, to: copied.mac.count, by: 5) {
            var mac = copied.mac
            mac[index] ^= 1 << (index % 8)
            let proofs = RootProofs(signature: copied.signature, mac: mac)
            let forged = try KeyFileSamples.file(KeyFileSamples.contents(proofs: proofs))
            #expect(try open(forged, object, name: name) == (1, []), "byte \(index) of the MAC")
        }
        let root = Hash256(at: 0, of: [UInt8](0xA1..<0xC1).span.bytes)
        let forged = try KeyFileSamples.file(KeyFileSamples.contents(root: root))
        #expect(try open(forged, object, name: name) == (1, []))
        #expect(try open(KeyFileSamples.file(), object, name: name) == (0, Samples.text))
    }

    @Test func `tells the plain names of objects`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let plain = [
            "groundwave-log", "groundwave-log-again", "stores/G20R50W4GP38F249HA5RS3CEHW/catalog", name,
            "stores/G20R50W4GP38F249HA5RS3CEHW/808182838485868788898a8b8c8d8e8f.pack",
            "snapshots/heads/001700000000000-808182838485868788898a8b8c8d8e8f.head",
            "snapshots/parts/001700000000000-808182838485868788898a8b8c8d8e8f-0007.part",
        ]
        let names = SealedNames(namesKey: KeyFileSamples.contents().namesKey)
        let sealed = plain.compactMap { names.sealed($0) }
        let files = [
            try write(try KeyFileSamples.file(), "keys"), "--passphrase-file",
            try write(Array(KeyFileSamples.passphrase.utf8), "passphrase"),
        ]
        let (status, output) = try SealedReader.run([SealedReader.script.path, "name"] + files + ["--"] + sealed)
        #expect(status == 0 && String(decoding: output, as: UTF8.self) == plain.map { $0 + "\n" }.joined())
    }
}
