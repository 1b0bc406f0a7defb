import ArgumentParser
import Foundation
import Groundwave
import GroundwaveStore
import Testing

@testable import groundwave_cli

private typealias Command = groundwave_cli.Program

/// One of each remedy, with arguments as an error gives them.
private let remedies: [Remedy] = {
    let listings: [Remedy.Listing] = [
        .events, .kinds, .snapshots, .imports, .devices, .histories, .meters, .traces, .calibrations, .contests,
        .damageOfArchive, .records(kind: "qso", areHidden: true), .records(kind: "session", areHidden: false),
        .records(kind: "equipment", areHidden: true),
    ]
    let address = "file:///mnt/shack/log"
    return listings.map { .list($0) } + Remedy.Source.allCases.map { .restore($0) } + [
        .create, .chooseFolder, .chooseStoreOfLog, .join(address: address), .joinElsewhere(address: address), .verify,
        .replayElsewhere, .archive, .readArchive, .restoreArchive, .excludeDevice("4VK1TQ8C"), .showRecovery, .reset,
        .salvage(file: "log.mdb"), .keepCallsInDiagnostics, .addRemote(address: nil), .addRemote(address: address),
        .removeRemote("shack"), .synchronise, .synchroniseBothWays, .switchSyncOn, .serve, .createBundle,
        .sealLog, .sealRemote("stick"), .unsealRemote("stick"), .approveDevice("phone"), .acceptSeal("stick"), .unlock,
        .giveCode,
        .clearWithoutSaving, .restoreContact(id: "4VK1TQ8C"), .removeRecord(kind: "equipment", id: "4VK1TQ8C"),
        .useFunctions(kind: "qso"), .useFunctions(kind: "session"), .useFunctions(kind: "setting"), .dismissDuplicate,
        .showConflict(kind: "qso", id: "4VK1TQ8C"), .endSession, .replaceSession,
        .set(key: "countryFile", example: "PATH"), .unsetSetting, .exportSettings, .setMirror, .trustSource("N1MM"),
        .replaceFiles, .exportAsOneFile, .exportAll, .nameContest, .importWithContest, .checkHead, .useSerialDevice,
        .chooseDevice("hid:/dev/hidraw3"), .chooseModel("tc66c"), .disconnectMeter("00:11:22:33:44:55"), .recordBytes,
        .shareSamples(trace: "4VK1TQ8C"), .showTrace("4VK1TQ8C"), .verifyTrace("4VK1TQ8C"), .compareWholeTraces,
        .showPlotOptions, .showExportOptions,
    ]
}()

@Suite struct `Remedies` {
    /// The files of the library's code.
    private static func sources() throws -> [(path: String, text: String)] {
        let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let folder = top.appending(path: "Sources")
        let paths = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects ?? []
        // The page of groundwave look and the words that it shares with the program are of no product of the library.
        let ofProgram = ["Look", "Wording"].map { folder.appending(path: $0).path + "/" }
        return try paths.compactMap { $0 as? URL }.filter { url in
            url.pathExtension == "swift" && !ofProgram.contains { url.path.hasPrefix($0) }
        }.map { ($0.path, try String(contentsOf: $0, encoding: .utf8)) }
    }

    /// What is written between backticks: commands and options.
    private static func marked(_ words: String) -> [String] {
        words.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }.map {
            String($0.element)
        }
    }

    @Test func `are all in the list of this test`() throws {
        let source = try #require(try Self.sources().first { $0.path.hasSuffix("Store/Remedy.swift") })
        let declared = source.text.matches(of: /\n +case (\w+)(\(\w*:? ?\w+\??.*\))?\n/).map { String($0.1) }
        let list = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        #expect(declared.count > 60)
        for name in declared where Remedy.Source(rawValue: name) == nil {
            #expect(list.contains(".\(name)"), "\(name)")
        }
    }

    @Test(arguments: remedies)
    func `have a command that the program understands, or an option that it has`(remedy: Remedy) throws {
        let marked = Self.marked(remedy.words)
        try #require(!marked.isEmpty, "\(remedy)")
        for words in marked {
            let arguments = words.split(separator: " ").map(String.init)
            guard arguments[0] == "groundwave" else {
                #expect(arguments[0].hasPrefix("--") && Self.options.contains(arguments[0]), "\(words)")
                continue
            }
            do { _ = try Command.parseAsRoot(Array(arguments.dropFirst())) } catch {
                #expect(Command.exitCode(for: error) == .success, "\(words): \(Command.message(for: error))")
            }
        }
    }

    /// The options of all commands, from their helps.
    private static let options: Set<String> = {
        func texts(_ command: any ParsableCommand.Type) -> [String] {
            [Command.helpMessage(for: command)] + command.configuration.subcommands.flatMap { texts($0) }
        }
        return Set(texts(Command.self).flatMap { $0.matches(of: /--[a-z-]+/).map { String($0.0) } })
    }()

    @Test(arguments: remedies) func `read as plain words to other applications`(remedy: Remedy) {
        #expect(!"\(remedy)".contains("`") && !"\(remedy)".contains("--") && !"\(remedy)".contains("groundwave "))
    }

    @Test func `are how the library names what helps: it knows no command and no option of the program`() throws {
        // What is hashed, signed or written to files may have the name of the program in it.
        let exceptions = [
            "signed head", "catalog", "history", "placed snapshot", "stream", "message", "root", "epoch", "fingerprint",
            "recipient", "recovery", "invitation", "hash names", "times", "replica names", "object", "connection",
        ]
        for (path, text) in try Self.sources() {
            for line in text.split(separator: "\n") where !line.drop(while: { $0 == " " }).hasPrefix("//") {
                let named = line.matches(of: /[`" ]groundwave ([a-z]+ ?[a-z]*)/).map { String($0.1) }
                #expect(named.allSatisfy { name in exceptions.contains { name.hasPrefix($0) } }, "\(path): \(line)")
                #expect(line.firstMatch(of: /["( ]--[a-z]/) == nil, "\(path): \(line)")
            }
        }
    }

    @Test func `are said by the program in its words, and by the library in plain ones`() async throws {
        let nowhere = FileManager.default.temporaryDirectory.appending(path: "nowhere-\(UUID().uuidString)")
        let error = await #expect(throws: StoreError.self) { try await Store.open(at: nowhere) }
        #expect(error?.hint == "Create one, or choose another folder.")
        #expect(error?.hintOfProgram == "Create one with groundwave init, or choose another folder with --store.")
    }
}
