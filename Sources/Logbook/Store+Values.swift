import GroundwaveObserving
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveStore

extension Store {
    /// Returns the contacts of `query`, now and after every change of them, by this or any other process.
    ///
    /// The first element comes at once. Changes close together are combined; the last state is always delivered, and
    /// none twice in a row. The sequence ends when its task is cancelled.
    ///
    /// Nothing runs on the caller's actor. After the first element only the contacts that a commit has touched are read
    /// again: 100,000 contacts are told anew within 10 ms of a commit.
    public func values(of query: ContactQuery) -> ValueSequence<[Contact]> {
        ValueSequence(self, ObservedContacts(ContactList(query)))
    }
}

/// Contacts that are observed.
package struct ObservedContacts: ObservedSource {
    private var list: ContactList
    /// Whether the contacts were read before: the first time, no contacts are a value too.
    private var isStarted = false

    package init(_ list: ContactList) { self.list = list }

    package mutating func read(_ view: borrowing ViewReader, touched: TouchedRecords) throws -> [Contact]? {
        if let touched = touched.records(of: QSOKind.name) {
            return try list.update(view, touched: touched) ? list.contacts : nil
        }
        let differs = try list.read(view) || !isStarted
        isStarted = true
        return differs ? list.contacts : nil
    }
}
