// SQLite: the contacts of a log as a database.
import Check
import Foundation
import GroundwaveSQLite

try await withFolder { folder in
    let configuration = Configuration(
        author: "N0CALL", components: [.logbook, .sqlite], stateFolder: folder.appending(path: "state"))
    let store = try await Store.create(at: folder.appending(path: "log"), configuration)
    _ = try await store.write { try $0.add(Contact("W1AW", frequency: Frequency(hertz: 14_032_500), mode: .cw)) }
    let file = folder.appending(path: "log.sqlite")
    _ = try store.export(.contacts, as: .sqlite, created: 0, toFile: file.path)
    let head = try FileHandle(forReadingFrom: file).read(upToCount: 15)
    check(head == Data("SQLite format 3".utf8), "the export is a database")
    try store.close()
    print("One contact was exported as a database.")
}
