import ArgumentParser

struct QSO: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "qso", abstract: "The contacts of the logbook.",
        discussion: """
            Specify a contact by its id, the first letters of the id, its call if only one contact matches, or last: \
            the one that this device logged last.
            """,
        subcommands: [
            QSOAdd.self, QSOLog.self, QSOEdit.self, QSOFill.self, QSORemove.self, QSORestore.self, QSOList.self,
            QSOFind.self, QSOShow.self, QSOWorked.self, QSOCount.self,
        ])
}
