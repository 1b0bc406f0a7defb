import ArgumentParser
import Foundation
import Groundwave
import Radio
import Records

struct QSOList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List contacts, the newest last.")

    @OptionGroup var options: StoreOptions

    func run() async throws {
        let store = try await options.open()
        var query = ContactQuery.contacts
        query.limit = 50
        let records = try store.read { try $0.all(query) }
        var table = TextTable(["ID", "UTC", "CALL", "FREQ", "BAND", "MODE"])
        for record in records {
            let facts = ContactFacts(record)
            table.append([
                record.id.short, facts.startSeconds.map(TimeText.seconds) ?? "", facts.call, record.text(.freq) ?? "",
                facts.band ?? "", facts.submode ?? facts.mode ?? "",
            ])
        }
        table.lines.forEach(Terminal.print)
    }
}
