import ArgumentParser
import Foundation
import Groundwave

struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Keep a folder with all contacts as ADIF and the settings as JSON.",
        discussion: """
            The mirror is written by itself, at most an hour after a change, whenever groundwave runs. Any program that \
            reads ADIF can read it; groundwave settings import reads the settings back.

              groundwave backup mirror ~/Documents/Log
              groundwave backup now
            """,
        subcommands: [BackupMirror.self, BackupNow.self])
}

struct BackupMirror: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mirror", abstract: "Name the folder, or switch it off; without one, show it.")

    @Argument(help: ArgumentHelp("The folder, or the word off.", valueName: "path"))
    var path: String?
    @OptionGroup var options: StoreOptions

    struct Result: Encodable {
        var mirror: String?
    }

    func run() async throws {
        guard let path else {
            let folder = try await options.openForReading().mirrorFolder()
            if options.json { return try Terminal.print(json: Result(mirror: folder?.path)) }
            return Terminal.print(folder.map { "The mirror is \($0.path)." } ?? "No folder is kept as a mirror.")
        }
        let store = try await options.open()
        try store.setMirror(path == "off" ? nil : URL(filePath: path))
        let folder = try store.mirrorFolder()
        if folder != nil { try store.writeMirror() }
        if options.json { return try Terminal.print(json: Result(mirror: folder?.path)) }
        Terminal.print(
            folder.map { "The mirror is \($0.path); it was written." }
                ?? "No folder is kept as a mirror any more. What was written stays.")
    }
}

struct BackupNow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "now", abstract: "Write the mirror now.")

    @OptionGroup var options: StoreOptions

    struct Result: Encodable {
        var adif: String
        var settings: String
        var qsos: Int
    }

    func run() async throws {
        let written = try await options.open().writeMirror()
        if options.json {
            return try Terminal.print(
                json: Result(adif: written.adif, settings: written.settings, qsos: written.contacts))
        }
        Terminal.print("\(NumberText.count(written.contacts, "contact")) in \(written.adif).")
        Terminal.print("The settings are in \(written.settings).")
    }
}
