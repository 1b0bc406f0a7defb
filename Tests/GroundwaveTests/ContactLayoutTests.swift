import Everything
import GroundwaveADIF
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveTesting
import Testing

@Suite struct `Contacts with the same heads` {
    /// Two contacts whose heads are the same in the same order, but not the order that their sources noted.
    @Test func `keep the order of their own source`() async throws {
        let temporary = try await TemporaryStore(.full())
        let orders: [[FieldName]] = [[.call, .qsoDate, .name, .qth], [.call, .qsoDate, .qth, .name]]
        let text = orders.enumerated().map { number, names in
            names.map { name in
                let value = name == .call ? "N\(number)CALL" : name == .qsoDate ? "20260101" : "x"
                return "<\(name.name):\(value.utf8.count)>\(value)"
            }.joined() + "<EOR>\n"
        }.joined()
        try await temporary.store.importText(text)
        let ids = try temporary.store.read { try $0.all(.everything).map(\.id) }
        _ = try await temporary.store.write { batch in
            for id in ids { try batch.set("qso", id, [Assignment("NAME", text: "y")]) }
        }
        try temporary.store.read { view in
            var shown = ShownFields()
            var found: [[FieldName]] = []
            try view.forEachShown(of: "qso", ids) { _, values in
                shown.read(values)
                found.append(shown.layout.names)
            }
            #expect(Set(found) == Set(orders))
        }
    }

    /// Two devices note another order of one contact each, beside contacts whose heads are the same and that have either.
    @Test func `keep the order that is shown of several`() async throws {
        let fleet = try await Fleet(2, seed: 1)
        defer { fleet.close() }
        func record(_ call: String, _ last: FieldName?) -> String {
            let fields: [(FieldName, String)] = [(.call, call), (.qsoDate, "20260101"), (.name, "x")]
            return (fields + (last.map { [($0, "y")] } ?? [])).map { name, value in
                "<\(name.name):\(value.utf8.count)>\(value)"
            }.joined() + "<EOR>\n"
        }
        let lasts: [FieldName] = [.comment, .notes]
        try await fleet.stores[0].importText(
            record("N0CALL", nil) + record("N1CALL", .comment) + record("N2CALL", .notes), named: "a.adi")
        for call in ["N1CALL", "N2CALL"] {
            let id = try #require(try fleet.stores[0].read { try $0.all(.contacts.worked(call)).first?.id })
            for name in lasts {
                _ = try await fleet.stores[0].write {
                    try $0.set("qso", id, [Assignment(name.name, text: "z")])
                }
            }
        }
        try fleet.meet()
        for (store, last) in zip(fleet.stores, lasts) {
            try await store.importText(record("N0CALL", last), named: "a.adi")
        }
        try fleet.meet()
        for store in fleet.stores {
            try store.read { view in
                let ids = try view.all(.contacts).map(\.id)
                var shown = ShownFields()
                try view.forEachShown(of: "qso", ids + ids) { id, values in
                    shown.read(values)
                    let names = shown.layout.names
                    let wanted = try view.record("qso", id)?.adifFields.map(\.name)
                    #expect(names == wanted)
                    #expect(names.count == 5)
                }
                let record = try view.all(.contacts.worked("N0CALL")).first
                #expect(record?.fields.contains { $0.key == .number(1101) && $0.heads.count == 2 } == true)
                #expect(record?.fields.count { $0.heads.count > 1 } == 1, "no other field has several heads")
            }
        }
    }
}
