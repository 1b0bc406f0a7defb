import GroundwaveEvents
import GroundwaveReplication
import GroundwaveStore
import GroundwaveSyncing
import GroundwaveWording

/// The devices of the log: what each has written, who lacks what, and where their histories part.
enum DevicesPage {
    static func answer(_ visit: Visit) throws -> PageResponse {
        let (replicas, status) = (try visit.store.replicas(), try visit.store.syncStatus())
        let content: HTML = """
            <p class="sum">\(status.isComplete ? "Complete: nothing that is known to exist is missing anywhere." : sentence(status))</p>
            \(list(replicas))
            \(try seen(visit, replicas))
            \(matrix(replicas, status))
            \(try forks(visit))
            \(places(visit, status))
            """
        return PageFrame.page("Devices", content, visit)
    }

    private static func sentence(_ status: SyncStatus) -> HTML {
        if status.isOff { return "Synchronising is switched off." }
        if status.remotes.isEmpty { return "There is no place where this log meets other devices." }
        return "Not complete: see below what is missing where."
    }

    private static func list(_ replicas: [ReplicaInformation]) -> HTML {
        var table = PageTable("Devices", ["Device", .number("Events"), "Last written", "Last seen", "Remarks"])
        for replica in replicas {
            var remarks: [String] = []
            if replica.isThisDevice { remarks.append("this device") }
            if replica.isRetired { remarks.append("retired") }
            if replica.hasReturned { remarks.append("has come back") }
            if !replica.successors.isEmpty {
                remarks.append("goes on as \(replica.successors.map(\.short).joined(separator: ", "))")
            }
            if let former = replica.former { remarks.append("was \(former.short)") }
            if replica.clockWasAhead != nil { remarks.append("its clock was wrong") }
            if replica.clockSeemsAhead != nil { remarks.append("its clock seems to be ahead") }
            table.append([
                "\(replica.device ?? "unknown") <small><code>\(replica.id.short)</code></small>",
                HTML(Visit.grouped(replica.events)),
                replica.lastWritten.map { Visit.time($0) } ?? "", replica.lastManifest.map { Visit.time($0) } ?? "",
                HTML(remarks.joined(separator: ", ")),
            ])
        }
        return "<h2>Who writes</h2>\n\(table.html(none: "No device has written anything."))"
    }

    /// The name of a replica's device, with its id where another one has the same name.
    private static func name(_ replica: ReplicaInformation, among all: [ReplicaInformation]) -> String {
        guard let device = replica.device else { return replica.id.short }
        return all.count { $0.device == device } > 1 ? "\(device) \(replica.id.short)" : device
    }

    /// What each device had seen of the others when it last wrote, up to the moment that is looked at: a row for each device, a
    /// column for each whose events it may have seen.
    private static func seen(_ visit: Visit, _ replicas: [ReplicaInformation]) throws -> HTML {
        let vector = try visit.moment.vector ?? visit.store.describing { try visit.store.log.vector() }
        let names = Dictionary(
            replicas.map { ($0.id, name($0, among: replicas)) }, uniquingKeysWith: { first, _ in first })
        let writers = vector.entries.prefix(30).filter { $0.sequence > 0 }
        guard writers.count > 1 else { return "" }
        var table = PageTable(
            "What each device had seen",
            ["Device", "Last wrote"] + writers.map { .number("of \(names[$0.replica] ?? $0.replica.short)") })
        for writer in writers {
            let last = EventID(writer.replica, writer.sequence)
            let (context, stamp) = try visit.store.describing {
                (try visit.store.log.context(of: last), try visit.store.log.stamp(of: last))
            }
            table.append(
                [HTML(names[writer.replica] ?? writer.replica.short), stamp.map { Visit.time($0.milliseconds) } ?? ""]
                    + writers.map { author -> HTML in
                        let seen = min(context?[author.replica] ?? 0, author.sequence)
                        return seen == author.sequence
                            ? "<span class=\"none\">all</span>"
                            : "\(Visit.grouped(seen)) of \(Visit.grouped(author.sequence))"
                    })
        }
        return """
            <h2>What each had seen when it last wrote</h2>
            <div class="scroll" role="region" aria-label="What each device had seen" tabindex="0">\(table.html(none: ""))</div>
            """
    }

    /// Who lacks what: a row for each device, a column for each whose events it may lack.
    private static func matrix(_ replicas: [ReplicaInformation], _ status: SyncStatus) -> HTML {
        let authors = replicas.filter { $0.events > 0 }
        let devices = status.remotes.flatMap(\.devices)
        guard !devices.isEmpty else { return "" }
        var table = PageTable(
            "Events that each device lacks", ["Device"] + authors.map { .number("of \(name($0, among: replicas))") })
        func row(_ name: String, _ missing: [EventRange]) {
            table.append(
                [HTML(name)]
                    + authors.map { author in
                        let count = missing.filter { $0.replica == author.id }.reduce(0) { $0 + $1.count }
                        return count == 0
                            ? "<span class=\"none\">all there</span>" : "<b>\(Visit.grouped(count))</b> missing"
                    })
        }
        row("this device", status.here.events.ranges)
        var seen: Set<ReplicaID> = []
        for device in devices where seen.insert(device.replica).inserted { row(device.name, device.missing) }
        return """
            <h2>Who lacks what</h2>
            <div class="scroll" role="region" aria-label="Who lacks what" tabindex="0">\(table.html(none: ""))</div>
            """
    }

    private static func forks(_ visit: Visit) throws -> HTML {
        let forks = try visit.store.forks()
        guard !forks.isEmpty else { return "" }
        let names = try visit.store.deviceNames()
        let items = forks.map { fork -> HTML in
            let branches = fork.branches.map { branch -> HTML in
                let state: HTML = branch.takenBack > 0 ? ", taken back" : ""
                return
                    "<li><code>\(branch.stream.short)</code>: \(Visit.count(branch.events, "event")), the last of \(Visit.time(branch.lastWritten))\(state)</li>"
            }
            return """
                <li>\(names[fork.replica] ?? fork.replica.short) parted after event \(fork.after)\
                \(fork.isResolved ? ", resolved" : "" as HTML):<ul>\(branches)</ul></li>
                """
        }
        return "<h2>Histories that part</h2>\n<ul class=\"forks\">\(items)</ul>\n"
    }

    private static func places(_ visit: Visit, _ status: SyncStatus) -> HTML {
        guard !status.remotes.isEmpty else { return "" }
        var table = PageTable("Places", ["Place", "Address", "Last sync", .number("Unsent"), "State"])
        for remote in status.remotes {
            let unsent = remote.unsent.reduce(0) { $0 + $1.count }
            table.append([
                visit.link(remote.remote.name, Address("place", remote.remote.name)),
                "<code>\(remote.remote.address)</code>",
                remote.lastSuccess.map { Visit.time($0) } ?? "never",
                HTML(Visit.grouped(unsent)),
                remote.failure.map { HTML($0) } ?? (remote.isComplete ? "complete" : "not complete"),
            ])
        }
        return "<h2>Places</h2>\n\(table.html(none: ""))"
    }
}
