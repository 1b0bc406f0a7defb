import Foundation
import GroundwaveEvents
import GroundwaveStore
import GroundwaveWording

/// What is the same on every page: the way to the others, the time, and whether what is seen is the present.
enum PageFrame {
    /// The pages, in the order of the list on each of them.
    private static let pages: [(name: String, address: Address)] = [
        ("Overview", Address()), ("Contacts", Address("contacts")), ("Records", Address("records")),
        ("History", Address("history")), ("Conflicts", Address("conflicts")), ("Map", Address("map")),
        ("Activity", Address("activity")), ("Traces", Address("traces")), ("Devices", Address("devices")),
        ("Files", Address("files")),
    ]

    /// A page about a store.
    static func page(_ title: String, _ content: HTML, _ visit: Visit, status: Int = 200) -> PageResponse {
        let moment: HTML = visit.moment.isPresent ? "now" : "past"
        let mark: HTML = " data-live=\"\(moment)\" data-log=\"\(visit.news.json)\""
        let body: HTML = """
            <body\(mark)>
            <a class="skip" href="#main">Skip to the content</a>
            <header class="top">
            <p class="brand"><a href="\(visit.link(Address()))">Groundwave</a> <span>\(visit.store.url.lastPathComponent)</span></p>
            \(navigation(visit))
            </header>
            <div id="news" role="status" aria-live="polite"></div>
            \(recoveryNotice(visit))\(TimelineSection.html(visit))
            <main id="main" tabindex="-1">
            <h1>\(title)</h1>
            \(content)
            </main>
            \(footer)
            </body>
            """
        return PageResponse(document(title, body), status: status)
    }

    /// A page about what cannot be shown, without a store.
    static func notice(_ title: String, _ message: HTML, status: Int) -> PageResponse {
        let body: HTML = """
            <body data-live="none">
            <header class="top"><p class="brand"><a href="/">Groundwave</a></p></header>
            <main id="main" tabindex="-1">
            <h1>\(title)</h1>
            <p>\(message)</p>
            </main>
            \(footer)
            </body>
            """
        return PageResponse(document(title, body), status: status)
    }

    private static let footer: HTML = """
        <footer><p>All times are UTC. This page is served by <code>groundwave look</code>, to this computer alone.</p></footer>
        """

    private static func document(_ title: String, _ body: HTML) -> HTML {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(title) · Groundwave</title>
        <link rel="icon" href="/icon.svg">
        <link rel="stylesheet" href="/style.css">
        <script src="/script.js" defer></script>
        </head>
        \(body)
        </html>

        """
    }

    private static func navigation(_ visit: Visit) -> HTML {
        let items = pages.map { name, address -> HTML in
            let isHere = address.path.first == visit.address.path.first
            let mark: HTML = isHere ? " aria-current=\"page\"" : ""
            return "<li><a href=\"\(visit.link(address))\"\(mark)>\(name)</a></li>"
        }
        return "<nav aria-label=\"Pages\"><ul>\(items)</ul></nav>"
    }

    private static func recoveryNotice(_ visit: Visit) -> HTML {
        guard let recovery = visit.recovery else { return "" }
        let written = (try? recovery.temporary.log.lastPosition()).map { Int($0) - 1 } ?? 0
        let since: HTML =
            written > 0 && recovery.temporary !== visit.store
            ? " What was written since, \(Visit.count(written, "event")), joins it when the store is restored." : ""
        return """
            <aside class="alarm" aria-label="Recovery"><p><strong>The store is damaged: \(recovery.failure.message).</strong> \
            What is shown here was salvaged from it: \
            <a href="\(visit.link(Address("files")))#recovery">what is lost, and what can be done</a>.\(since)</p></aside>

            """
    }
}
