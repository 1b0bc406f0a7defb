import ArgumentParser
import Foundation
import Groundwave
import GroundwaveLogbook
import GroundwaveWording

struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Mirror all contacts (ADIF), the settings (JSON) and the photos of sessions to a folder.",
        discussion: """
            The mirror is updated automatically when groundwave runs, if the last update was at least an hour ago and \
            something has changed. Any program that reads ADIF can read it; groundwave settings import reads the \
            settings back. With --photos, the files listed in the field PHOTOS of a session are copied too. Each is \
            listed by its name, or by its name and SHA-256, separated by a space.

              groundwave backup mirror ~/Documents/Log
              groundwave backup mirror ~/Documents/Log --photos ~/Pictures/Summits
              groundwave backup now
            """,
        subcommands: [BackupMirror.self, BackupNow.self])
}

struct BackupMirror: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mirror", abstract: "Set the mirror folder, or switch the mirror off; without a folder, show it.")

    @Argument(help: ArgumentHelp("The folder, or the word off.", valueName: "path"))
    var path: String?
    @Option(
        help: ArgumentHelp(
            "The folder with the photos that sessions list; they are copied to the mirror.", valueName: "folder"))
    var photos: String?
    @OptionGroup var options: StoreOptions

    struct Result: Encodable {
        var mirror: String?
        var photos: String?
    }

    func run() async throws {
        guard let path else {
            let mirror = try await options.openForReading().mirror()
            if options.json { return try self.print(json: mirror) }
            try Terminal.print(mirror.map { "The mirror is \($0.folder.path)." } ?? "There is no mirror.")
            if let photos = mirror?.photos { try Terminal.print("Photos are copied from \(photos.path).") }
            return
        }
        let store = try await options.openWhole()
        let isOff = path == "off"
        try store.setMirror(
            isOff ? nil : MirrorSetting(folder: URL(filePath: path), photos: photos.map { URL(filePath: $0) }))
        guard let mirror = try store.mirror() else {
            if options.json { return try self.print(json: nil) }
            return try Terminal.print("The mirror is off. The files already written stay.")
        }
        let written = try store.writeMirror()
        if options.json { return try self.print(json: mirror) }
        try Terminal.print("The mirror is \(mirror.folder.path). It has just been written.")
        if mirror.photos != nil { try Terminal.print("\(written.photoLine)") }
    }

    func validate() throws {
        if photos != nil, path == nil || path == "off" {
            throw ValidationError("--photos needs the mirror folder: groundwave backup mirror PATH --photos FOLDER")
        }
    }

    private func print(json mirror: MirrorSetting?) throws {
        try Terminal.print(json: Result(mirror: mirror?.folder.path, photos: mirror?.photos?.path))
    }
}

extension MirrorWritten {
    /// How many photos there are, and which are missing.
    fileprivate var photoLine: String {
        let there = "\(NumberText.count(photos, "photo")) of sessions \(photos == 1 ? "is" : "are") in the mirror."
        if missingPhotos.isEmpty { return there }
        let names = missingPhotos.prefix(5).joined(separator: ", ")
        let more = missingPhotos.count > 5 ? ", …" : ""
        return there + " Missing from the photo folder, or with different content: \(names)\(more)."
    }
}

struct BackupNow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "now", abstract: "Write the mirror now.")

    @OptionGroup var options: StoreOptions

    struct Result: Encodable {
        var adif: String
        var settings: String
        var qsos: Int
        var photos: Int
        var missingPhotos: [String]
    }

    func run() async throws {
        let store = try await options.openWhole()
        let written = try store.writeMirror()
        if options.json {
            return try Terminal.print(
                json: Result(
                    adif: written.adif, settings: written.settings, qsos: written.contacts, photos: written.photos,
                    missingPhotos: written.missingPhotos))
        }
        try Terminal.print("\(NumberText.count(written.contacts, "contact")) in \(written.adif).")
        try Terminal.print("The settings are in \(written.settings).")
        if try store.mirror()?.photos != nil { try Terminal.print("\(written.photoLine)") }
    }
}
