import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveStore

/// The pages about one store: a request goes in, an answer comes out.
///
/// The server around it reads and writes bytes; this decides who is answered, which moment is meant and which page is made.
package final class LookSite: Sendable {
    private let folder: URL
    private let watched: WatchedStore
    private let admission: Admission
    private let moments = Moments()
    private let census = Census()
    private let verification = VerificationRun()
    private let surroundings: Surroundings
    private let mayWrite: Bool
    /// Tells pages what has changed.
    let feed: LiveFeed

    /// The address that a person opens first.
    package var firstAddress: String { admission.firstAddress }

    /// - Parameters:
    ///   - folder: The folder of the store.
    ///   - configuration: How it is opened: read-only will do, unless pages may write.
    ///   - admission: Who may look.
    ///   - mayWrite: Whether pages may write.
    package init(_ folder: URL, _ configuration: Configuration, _ admission: Admission, mayWrite: Bool) {
        self.folder = folder
        watched = WatchedStore(folder, configuration)
        self.admission = admission
        surroundings = configuration.surroundings
        self.mayWrite = mayWrite
        feed = LiveFeed(watched)
    }

    /// Opens the store, so that the first page finds it open, and a wrong folder is told at once.
    ///
    /// - Throws: ``StoreError`` as `Store.open` does.
    package func open() async throws { try await watched.using { _ in } }

    /// Closes the store.
    package func close() async { await watched.close() }

    /// Answers a request. Never throws: what goes wrong is an answer, too.
    package func answer(_ request: PageRequest) async -> PageResponse {
        do {
            if let known = try admission.admit(request) { return known }
            if let asset = Assets.answer(request.address) { return asset }
            guard request.address.path != ["live"] else { return .live }
            return try await page(request)
        } catch { return Self.answer(to: error) }
    }

    /// The page that says what was wrong with a request.
    package static func answer(to refusal: Refusal) -> PageResponse {
        PageFrame.notice("Not shown", HTML(refusal.message), status: refusal.status)
    }

    private static func answer(to error: any Error) -> PageResponse {
        switch error {
        case let refusal as Refusal: return answer(to: refusal)
        case let error as StoreError:
            let status =
                switch error.code {
                case .usage, .invalid: 400
                case .notFound, .expired: 404
                case .archived: 410
                case .notPermitted: 403
                case .busy, .conflict: 409
                default: 503
                }
            return PageFrame.notice("Not shown", "\(error.message) \(error.hint ?? "")", status: status)
        default: return PageFrame.notice("Not shown", HTML(String(describing: error)), status: 500)
        }
    }

    private func page(_ request: PageRequest) async throws -> PageResponse {
        try await watched.using { state in
            for _ in 0..<3 {
                let before = try Self.generation(of: state.store)
                let response = try await self.page(request, state)
                // What was read while the log was rewritten may be of the former log: what it erased must not be shown.
                if try request.method == .post || Self.generation(of: state.store) == before { return response }
            }
            throw StoreError(.busy, "Other programs keep rewriting the log.", hint: "Try again later.")
        }
    }

    private static func generation(of store: Store) throws -> LogGeneration {
        try store.describing { try store.log.generation() }
    }

    private func page(_ request: PageRequest, _ state: WatchedStore.State) async throws -> PageResponse {
        let store = state.store
        let address = request.address
        if let redirect = try Self.canonical(address, store, now: surroundings.now().wallMilliseconds / 1000) {
            return PageResponse(redirect: redirect)
        }
        try await Self.catchUp(store)
        let recovery = state.recovery
        let visit = Visit(
            address: address, store: store, recovery: recovery, recoveredFolder: folder,
            moment: try await moment(address, store), news: try LiveFeed.News(of: state),
            timeline: try await Timeline.of(
                store, zoom: Self.zoom(address),
                by: address.value("by").flatMap { Timeline.Grouping(rawValue: $0) } ?? .device,
                census), now: surroundings.now().wallMilliseconds / 1000, mayWrite: mayWrite && recovery == nil)
        let response = try await route(visit, request)
        guard let response else { throw Refusal(404, "There is no such page.") }
        return response
    }

    /// Waits until the program that writes has folded what it has written. One that was killed before that does not.
    private static func catchUp(_ store: Store) async throws {
        var rounds = 0
        while try store.isBehindOthers() {
            guard rounds < 25 else { return try store.leaveOthersViews() }
            rounds += 1
            await store.commits.pause(milliseconds: 20)
        }
    }

    // MARK: - Moments

    /// The same address with its point as a vector, which means the same later; `nil` if it has none, or has one already.
    private static func canonical(_ address: Address, _ store: Store, now: Int64) throws -> Address? {
        guard let text = address.value("at"), !text.hasPrefix("vector:") else { return nil }
        if text.lowercased() == "now" { return address.without("at") }
        let point = try store.resolve(store.point(text, now: now))
        guard point.vector.eventCount > 0 else { throw Refusal(404, "The log had no events at that time.") }
        return address.with("at", PointAddress.text(point.vector))
    }

    private func moment(_ address: Address, _ store: Store) async throws -> Moment {
        guard let text = address.value("at") else {
            let vector = try store.describing { try store.log.vector() }
            return Moment(
                reading: store, vector: nil, lastWritten: try store.describing { try store.greatestStamp(of: vector) },
                eventCount: vector.eventCount)
        }
        let point = try store.resolve(store.point(text, now: 0))
        return Moment(
            reading: try await moments.past(point.vector, in: store), vector: point.vector,
            lastWritten: try store.describing { try store.greatestStamp(of: point.vector) },
            eventCount: point.vector.eventCount)
    }

    /// The span that an address zooms to, as `start..end` in milliseconds since 1970.
    private static func zoom(_ address: Address) -> ClosedRange<Int64>? {
        guard let text = address.value("zoom"), let dots = text.firstRange(of: ".."),
            let start = Int64(text[..<dots.lowerBound]), let end = Int64(text[dots.upperBound...])
        else { return nil }
        // The years 1 to 9999.
        let limits: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999
        guard start < end, limits.contains(start), limits.contains(end) else { return nil }
        return start...end
    }

    // MARK: - Pages

    private func route(_ visit: Visit, _ request: PageRequest) async throws -> PageResponse? {
        let path = visit.address.path
        if request.method == .post {
            guard path.count == 2, path[0] == "write" else { return nil }
            return try await Writing.perform(visit, path[1], request.form)
        }
        switch (path.first, path.count) {
        case (nil, _): return try OverviewPage.answer(visit)
        case ("contacts", 1): return try ContactsPage.answer(visit)
        case ("records", 1): return try RecordsPage.kinds(visit)
        case ("records", 2): return try RecordsPage.answer(visit, path[1])
        case ("record", 3): return try RecordPage.answer(visit, path[1], path[2])
        case ("record", 4) where path[3] == "proof": return try ProofDownload.answer(visit, path[1], path[2])
        case ("record", 5) where path[3] == "value": return try RecordPage.value(visit, path[1], path[2], path[4])
        case ("history", 1): return try HistoryPage.answer(visit)
        case ("batch", 3): return try BatchPage.answer(visit, path[1], path[2])
        case ("compare", 1): return try await ComparePage.answer(visit, moments)
        case ("conflicts", 1): return try ConflictsPage.answer(visit)
        case ("paper", 1): return try PaperPages.log(visit)
        case ("labels", 1): return try PaperPages.labels(visit)
        case ("place", 2): return try await PlacePage.answer(visit, path[1])
        case ("map", 1): return try MapPage.answer(visit)
        case ("map.svg", 1): return try MapPage.picture(visit)
        case ("activity", 1): return try ActivityPage.answer(visit)
        case ("traces", 1): return try TracesPage.list(visit)
        case ("trace", 2): return try TracesPage.answer(visit, path[1])
        case ("trace", 3) where path[2] == "chart": return try TracesPage.chart(visit, path[1])
        case ("trace", 3) where path[2] == "values": return try TracesPage.values(visit, path[1])
        case ("write", 2): return try Writing.preview(visit, path[1])
        case ("verify", 1): return try await verification.answer(visit)
        case ("devices", 1): return try DevicesPage.answer(visit)
        case ("files", 1): return try FilesPage.answer(visit)
        default: return nil
        }
    }
}
