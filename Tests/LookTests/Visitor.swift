import Everything
import Foundation
import Groundwave
import GroundwaveTesting
import Synchronization
import Testing

@testable import GroundwaveLook

/// Somebody who looks at a store, as a browser does: with the cookie, and following what leads elsewhere.
struct Visitor {
    let temporary: TemporaryStore
    let site: LookSite
    private static let host = "127.0.0.1:8073"

    var store: Store { temporary.store }

    /// - Parameter mayWrite: Whether pages may write.
    init(_ temporary: TemporaryStore, mayWrite: Bool = false) {
        self.temporary = temporary
        // As the test has opened it: a process opens a file in one way.
        let configuration = Configuration.full(author: "N0CALL", stateFolder: temporary.stateFolder)
        let admission = Admission(token: "token", cookie: "cookie", port: 8073)
        site = LookSite(temporary.url, configuration, admission, mayWrite: mayWrite)
    }

    /// A store with two contacts, of which the first was renamed twice.
    static func ofTwoContacts(mayWrite: Bool = false) async throws -> (Visitor, [RecordID]) {
        let temporary = try await TemporaryStore(Configuration.full(author: "N0CALL"))
        let ids = try await temporary.store.write(note: "Two contacts") { batch in
            try ["W1AW", "N1CALL"].map { call in
                try batch.add(
                    "qso",
                    [
                        Assignment("CALL", text: call), Assignment("NAME", text: "Hiram"),
                        Assignment("BAND", text: "20m"),
                        Assignment("MODE", text: "CW"), Assignment("QSO_DATE", text: "20260501"),
                        Assignment("TIME_ON", text: "1200"),
                        Assignment("GRIDSQUARE", text: "FN31"),
                    ])
            }
        }.value
        for name in ["Percy", "Maxim"] {
            try await temporary.store.write(note: "Called \(name)") {
                try $0.set("qso", ids[0], [Assignment("NAME", text: name)])
            }
        }
        return (Visitor(temporary, mayWrite: mayWrite), ids)
    }

    /// The answer to an address, and where it was found at last.
    func answer(_ target: String, form: String? = nil) async throws -> (response: PageResponse, target: String) {
        var (target, form) = (target, form)
        for _ in 0..<3 {
            let request = try PageRequest(
                method: form == nil ? "GET" : "POST", target: target,
                headers: [
                    ("Host", Self.host), ("Cookie", "groundwave-8073=cookie"), ("Origin", "http://\(Self.host)"),
                ],
                body: Array((form ?? "").utf8))
            let response = await site.answer(request)
            guard response.status == 303, let next = response.headers.first(where: { $0.name == "Location" }) else {
                return (response, target)
            }
            (target, form) = (next.value, nil)
        }
        Issue.record("\(target) leads on and on")
        return (await site.answer(try PageRequest(method: "GET", target: target, headers: [])), target)
    }

    /// The text of a page, which has to be there.
    func page(_ target: String, status: Int = 200) async throws -> String {
        let response = try await answer(target).response
        #expect(response.status == status, "\(target)")
        return String(decoding: response.body, as: UTF8.self)
    }
}

extension Store {
    /// Imports a log file with this text.
    func importText(_ text: String, named name: String) async throws {
        let rest = Mutex<[UInt8]?>(Array(text.utf8))
        _ = try await importLog(named: name) {
            rest.withLock { rest in
                defer { rest = nil }
                return rest
            }
        }
    }
}
