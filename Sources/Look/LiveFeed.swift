import Groundwave
import GroundwaveLogFormat
import GroundwaveStore

/// What has changed in a store, for pages that are open: one line for each moment in which anything has.
///
/// A line says how many events there are and which generation the log is of, and nothing of what they contain: a page asks
/// anew for what it shows.
struct LiveFeed: Sendable {
    /// What is sent.
    struct News: Sendable, Equatable {
        /// The number of events that count now.
        let events: UInt64
        /// Changes with whatever has changed.
        let content: LogContent?
        /// Whether the store waits for a decision after damage.
        let isRecovering: Bool

        /// The same as JSON.
        var json: String {
            let generation = content.map { "\($0.generation)" } ?? ""
            return "{\"events\":\(events),\"generation\":\"\(generation)\",\"late\":\(content?.late ?? 0),"
                + "\"recovering\":\(isRecovering)}"
        }

        /// The line for a browser (HTML Standard, 9.2.5).
        var line: String { "data: \(json)\n\n" }

        /// What is so in `state` now.
        init(of state: WatchedStore.State) throws {
            let log = state.store.log
            (events, content) = try state.store.describing { (try log.vector().eventCount, try log.content()) }
            isRecovering = state.recovery != nil
        }

        /// What is said where nothing can be read.
        static let none = News(events: 0, content: nil, isRecovering: true)

        private init(events: UInt64, content: LogContent?, isRecovering: Bool) {
            (self.events, self.content, self.isRecovering) = (events, content, isRecovering)
        }
    }

    private let watched: WatchedStore

    init(_ watched: WatchedStore) { self.watched = watched }

    /// What is so now, and a number by which ``run(_:)`` knows whether anything may have happened since.
    private func look() async throws -> (News, Store, UInt64) {
        try await watched.using { state in
            let seen = state.store.commits.generation
            let news = try News(of: state)
            return (news, state.store, seen)
        }
    }

    /// Calls `send` with what is so, and again whenever that has changed, until the task is cancelled.
    ///
    /// What another program writes is noticed within a tenth of a second.
    func run(_ send: @Sendable (News) async -> Void) async {
        var last: News?
        while !Task.isCancelled {
            guard let (news, store, seen) = try? await look() else {
                // The page is told, and asks again by itself.
                return await send(.none)
            }
            if news != last { await send(news) }
            last = news
            if news.isRecovering {
                // A decision about a damaged store is no commit of it.
                await store.commits.pause(milliseconds: 500)
            } else {
                await store.commits.wait(beyond: seen)
                // A program that writes a hundred batches a second is told of ten times.
                await store.commits.pause()
            }
        }
    }
}
