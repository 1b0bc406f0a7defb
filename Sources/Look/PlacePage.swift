import GroundwaveStore
import GroundwaveSyncing
import GroundwaveWording

/// What lies at a place where devices meet, and what it is likely to cost. The place is read when the page is asked for.
enum PlacePage {
    static func answer(_ visit: Visit, _ name: String) async throws -> PageResponse {
        guard let remote = try visit.store.remotes().first(where: { $0.name == name }) else {
            throw Refusal(404, "There is no such place.")
        }
        let contents: RemoteContents
        do { contents = try await visit.store.contents(of: remote) } catch let error as StoreError {
            return PageFrame.page("Place \(name)", ContactsPage.problem(error), visit)
        }
        var table = PageTable(
            "What each device keeps there", ["Device", .number("Objects"), .number("Size"), "Remarks"])
        for store in contents.stores {
            let remark: HTML = store.otherLog.map { "of another log: \($0.short)" } ?? ""
            table.append([
                HTML(store.device ?? store.replica.short), HTML(Visit.grouped(store.objects)),
                HTML(NumberText.bytes(store.bytes)),
                remark,
            ])
        }
        var foreign = PageTable("Other objects", ["Name", "What it is"])
        for object in contents.foreign.prefix(100) {
            foreign.append([HTML(RecordText.short(object.name, 120)), HTML(object.what)])
        }
        var facts: [(HTML, HTML)] = [
            ("Address", "<code>\(remote.address)</code>"), ("Size", HTML(NumberText.bytes(contents.byteCount))),
            ("Snapshots for new devices", "\(contents.snapshotCount), \(NumberText.bytes(contents.snapshotBytes))"),
        ]
        if let estimate = contents.estimate { facts.append(("A month costs about", cost(estimate))) }
        let others: HTML = foreign.count == 0 ? "" : "<h2>Objects of others</h2>\n\(foreign.html(none: ""))"
        let content: HTML =
            "\(BatchPage.factList(facts))\(table.html(none: "No device has left anything there."))\(others)"
        return PageFrame.page("Place \(name)", content, visit)
    }

    private static func cost(_ estimate: RequestEstimate) -> HTML {
        let cents = (estimate.microdollars + 9_999) / 10_000
        let rest = cents % 100
        return """
            \(cents / 100).\(rest < 10 ? "0" : "")\(rest) US dollars, with all devices watching: \
            \(Visit.count(estimate.reads, "read")), \(Visit.count(estimate.writes, "write or listing", "writes and listings"))
            """
    }
}
