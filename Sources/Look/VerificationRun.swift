import Foundation
import Groundwave
import GroundwaveRecovering
import GroundwaveStore
import GroundwaveWording

/// A verification of the store, as a run that one can watch: every page and every event, and what came of it.
actor VerificationRun {
    private enum State {
        case idle
        case running(since: Int64)
        case done(StoreVerification, milliseconds: Int64, at: Int64)
        case failed(String)
    }

    private var state = State.idle

    /// The page: with `start`, a run begins unless one is under way.
    func answer(_ visit: Visit) throws -> PageResponse {
        if visit.address.value("start") == "1" {
            start(visit)
            return PageResponse(redirect: visit.link(Address("verify")))
        }
        let again: HTML =
            "<p class=\"pages\"><a href=\"\(visit.link(Address("verify")).with("start", "1"))\">Verify \(isIdle ? "" : "again" as HTML)</a></p>"
        switch state {
        case .idle:
            return PageFrame.page(
                "Verify", "<p>Reads every page of the log and checks every event. Nothing is changed.</p>\(again)",
                visit)
        case .running(let since):
            let seconds = max(0, (Arrival.now().monotonicMilliseconds - since) / 1000)
            return PageFrame.page(
                "Verifying",
                "<p data-reload=\"1000\" role=\"status\">Reading every page and every event, for \(seconds) s so far. <progress aria-label=\"Verification\"></progress></p><p class=\"pages\"><a href=\"\(visit.address)\">Look again</a></p>",
                visit)
        case .failed(let message): return PageFrame.page("Verify", "<p class=\"problem\">\(message)</p>\(again)", visit)
        case .done(let result, let milliseconds, let at):
            return PageFrame.page("Verify", "\(Self.html(result, milliseconds, at))\(again)", visit)
        }
    }

    private var isIdle: Bool { if case .idle = state { true } else { false } }

    private func start(_ visit: Visit) {
        if case .running = state { return }
        let began = Arrival.now().monotonicMilliseconds
        state = .running(since: began)
        let (store, now) = (visit.store, visit.now)
        Task.detached { [self] in
            do {
                let result = try await Store.verify(at: store.url, stateFolder: store.stateFolder)
                await finish(.done(result, milliseconds: Arrival.now().monotonicMilliseconds - began, at: now * 1000))
            } catch { await finish(.failed("\(error)")) }
        }
    }

    private func finish(_ state: State) { self.state = state }

    private static func html(_ result: StoreVerification, _ milliseconds: Int64, _ at: Int64) -> HTML {
        var table = PageTable("Damage", ["What", "Events", "Detail"])
        for damage in result.damage {
            let events = damage.first.map { first in damage.last.map { "\(first)–\($0)" } ?? "\(first)" } ?? ""
            table.append([
                HTML(damage.what), "\(damage.replica.map { "\($0.short) " } ?? "")\(events)", HTML(damage.detail),
            ])
        }
        var roots = PageTable("Roots", ["Device", .number("Events"), "Root of the tree over them"])
        for (replica, events, root) in result.replicas {
            roots.append([
                HTML(replica.short), HTML(Visit.grouped(events)), root.map { "<code>\($0)</code>" } ?? "not whole",
            ])
        }
        let missing = result.missing.reduce(0) { $0 + $1.count }
        let lost: HTML = missing == 0 ? "" : " \(Visit.count(missing, "event")) that it once had are lost."
        return """
            <p class="\(result.isOK ? "good" : "problem")" role="status">\(result.isOK ? "Nothing is wrong." : "There is damage." as HTML) \
            \(Visit.count(result.events, "event")) are here and intact.\(lost) Looked through at \(Visit.time(at)), in \(milliseconds) ms.</p>
            \(result.damage.isEmpty ? "" : table.html(none: ""))
            \(roots.html(none: "No device has written anything."))
            """
    }
}
