import GroundwaveLogbook
import GroundwaveRadio
import GroundwaveStore

/// A session as it is named by people.
package enum SessionName {
    /// The session that `text` names: an id, a prefix, a title, `last`, or `open`.
    package static func resolve(_ text: String, _ store: any Reading) throws -> SessionID {
        guard text.lowercased() == "open" else { return try store.resolve(text, kind: "session") }
        return try open(store).id
    }

    /// The session that new contacts belong to: the open one unless `text` names another one, or `none`.
    package static func choice(_ text: String?, _ store: any Reading) throws -> SessionChoice {
        switch text?.lowercased() {
        case nil: .open
        case "none": .none
        case let name?: .session(try resolve(name, store))
        }
    }

    /// The session that is open on this device.
    package static func open(_ store: any Reading) throws -> OperatingSession {
        guard let session = try store.openSession() else {
            throw StoreError(.notFound, "No session is open.", hint: "To start one: groundwave session start")
        }
        return session
    }
}
