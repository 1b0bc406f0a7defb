import Synchronization

/// What the components of an open store keep in memory for it, one object of a type.
package final class ComponentState: Sendable {
    private let objects = Mutex<[ObjectIdentifier: any AnyObject & Sendable]>([:])

    /// The object of type `State`; `make` makes it when it is first asked for.
    package func object<State: AnyObject & Sendable>(_ make: () -> State) -> State {
        objects.withLock { objects in
            if let known = objects[ObjectIdentifier(State.self)] as? State { return known }
            let made = make()
            objects[ObjectIdentifier(State.self)] = made
            return made
        }
    }
}
