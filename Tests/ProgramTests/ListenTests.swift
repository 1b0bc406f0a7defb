import Foundation
import GroundwaveSeededNumbers
import LoggerDatagrams
import Testing

@Suite(.serialized) struct `groundwave listen` {
    private static let id = "f9ffac4fcd3e479ca86e137df1338531"

    private func fields(_ program: Program, _ call: String) throws -> [String: String] {
        try #require(try program.json("qso", "show", call)["fields"] as? [String: String])
    }

    private func outcomes(_ answers: [[String: Any]]) -> [String] { answers.compactMap { $0["outcome"] as? String } }

    private func counts(_ outcome: Program.Outcome) throws -> [String: Int] {
        let line = try #require(outcome.output.split(separator: "\n").last)
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        #expect(object?["event"] as? String == "done")
        return try #require(object?["counts"] as? [String: Int]).filter { $0.value > 0 }
    }

    /// WSJT-X sends each contact twice, GridTracker passes both on and sends it as text, too; and all of it is sent again.
    @Test(arguments: UInt64(1)...6)
    func `a contact is logged once, by whoever and in whatever order it is reported`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let program = try Program()
        let listening = try ListeningProgram(program)
        var (first, second) = (SampleContact("W1AW"), SampleContact("K1AA"))
        (second.mode, second.adifMode, second.hertz) = ("FT4", ["MODE": "MFSK", "SUBMODE": "FT4"], 14_080_500)
        var datagrams: [[UInt8]] = []
        for sample in [first, second] {
            datagrams += [
                NetworkDatagram.contactLogged(sample), NetworkDatagram.adifLogged(sample),
                NetworkDatagram.contactLogged(sample, of: "JTDX", laterCount: 3), Array(sample.adif.utf8),
                Array("ADD \(sample.adif)".utf8), NetworkDatagram.adifLogged(sample, of: "GridTracker"),
            ]
        }
        datagrams = (datagrams + datagrams).shuffled(using: &numbers)
        try listening.send([NetworkDatagram.heartbeat()] + datagrams + [NetworkDatagram.decode("CQ W1AW FN31")])
        let answers = try listening.answers(datagrams.count)
        #expect(Set(outcomes(answers)).isSubset(of: ["new", "known", "changed"]))
        for call in ["W1AW", "K1AA"] {
            let own = answers.filter { $0["call"] as? String == call }
            #expect(outcomes(own).filter { $0 == "new" }.count == 1 && outcomes(own).first == "new")
            #expect(Set(own.compactMap { $0["id"] as? String }).count == 1)
        }
        let ended = try listening.end()
        #expect(ended.status == 0 && ended.errors.isEmpty, "\(ended.errors)")
        #expect(try counts(ended)["new"] == 2)
        #expect(try program.json("qso", "count")["total"] as? Int == 2)
        for sample in [first, second] {
            let shown = try fields(program, sample.call)
            #expect(shown.filter { sample.fields.keys.contains($0.key) } == sample.fields)
        }
        // Nor is it logged again from a file.
        first.comment = ""
        let log = "WSJT-X ADIF Export<eoh>\n\(first.adif)\n\(second.adif)\n"
        let imported = try program.run(["import", "-", "--json"], input: log).json
        #expect(imported["imported"] as? Int == 0 && imported["unchanged"] as? Int == 2, "\(imported)")
        #expect(try program.run("verify", "--deep").status == 0)
    }

    @Test func `what N1MM changes is changed, and what it deletes is hidden`() throws {
        let program = try Program()
        let listening = try ListeningProgram(program)
        var sample = SampleContact("K1AA")
        (sample.mode, sample.sent, sample.received) = ("CW", "599", "579")
        var corrected = sample
        (corrected.call, corrected.start) = ("K1AB", Moment(2026, 5, 1, 12, 34, 56))
        let info = ContestDatagram.contact(sample, id: Self.id)
        let deletion = ContestDatagram.deletion(sample, id: Self.id)
        // N1MM reports a change as a deletion and a contact.
        try listening.send(
            info, info, deletion, ContestDatagram.contact(corrected, id: Self.id, root: "contactreplace"),
            ContestDatagram.contact(corrected, id: Self.id, root: "contactreplace"))
        #expect(outcomes(try listening.answers(5)) == ["new", "known", "deleted", "changed", "known"])
        #expect(try program.json("qso", "count")["total"] as? Int == 1)
        let shown = try fields(program, "K1AB")
        #expect(shown["TIME_ON"] == "123456" && shown["APP_N1MM_ID"] == Self.id && shown["STX"] == "5")
        try listening.send(
            ContestDatagram.deletion(corrected, id: Self.id), ContestDatagram.deletion(corrected, id: Self.id),
            ContestDatagram.deletion(corrected, id: "unknown"), info)
        #expect(outcomes(Array(try listening.answers(9)[5...])) == ["deleted", "hidden", "notFound", "hidden"])
        #expect(try program.json("qso", "count")["total"] as? Int == 0)
        let ended = try listening.end(by: SIGTERM)
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(try counts(ended) == ["new": 1, "known": 2, "changed": 1, "deleted": 2, "hidden": 1])
        // N1MM's own file has the same ids.
        let log =
            "<EOH><CALL:4>K1AB<QSO_DATE:8>20260501<TIME_ON:6>123456<BAND:3>20M<MODE:2>CW"
            + "<APP_N1MM_ID:32>\(Self.id)<EOR>"
        let imported = try program.run(["import", "-", "--json"], input: log).json
        #expect(imported["imported"] as? Int == 0 && imported["records"] as? Int == 1)
        #expect(try program.json("qso", "count")["total"] as? Int == 0)
    }

    @Test func `what was hidden, erased or corrected by hand stays so`() throws {
        let program = try Program()
        let listening = try ListeningProgram(program)
        let samples = ["K1AA", "K1AB", "K1AC"].map { SampleContact($0) }
        try listening.send(samples.map { ContestDatagram.contact($0, id: "id-\($0.call)") })
        #expect(outcomes(try listening.answers(3)) == ["new", "new", "new"])
        try program.json("qso", "remove", "K1AA")
        #expect(try program.run("erase", "--call", "K1AB", "--yes").status == 0)
        try program.json("qso", "edit", "K1AC", "NAME=Ann")
        var changed = samples
        changed[2].name = "Jim"
        try listening.send(
            changed.map { ContestDatagram.contact($0, id: "id-\($0.call)", root: "contactreplace") })
        let answers = try listening.answers(6)[3...]
        #expect(outcomes(Array(answers)) == ["hidden", "erased", "known"])
        #expect(answers.last?["contradicted"] as? [String] == ["NAME"])
        #expect(try listening.end().status == 0)
        #expect(try fields(program, "K1AC")["NAME"] == "Ann")
        #expect(try program.json("qso", "count")["total"] as? Int == 1)
    }

    @Test func `contacts belong to the open session, or to that which is named, and dupes are told`() throws {
        let program = try Program()
        let session = try #require(try program.json("session", "start", "--call", "N0CALL")["id"] as? String)
        let listening = try ListeningProgram(program, isText: true)
        var again = SampleContact()
        again.start = Moment(2026, 5, 1, 13, 0, 0)
        try listening.send(NetworkDatagram.contactLogged(SampleContact()), NetworkDatagram.contactLogged(again))
        try listening.waitForOutput("DUPE of")
        let ended = try listening.end()
        #expect(ended.status == 0 && ended.output.contains("W1AW 14.074500 MHz FT8 2026-05-01 12:00:15Z  WSJT-X\n"))
        #expect(ended.output.hasSuffix("\n2 new contacts.\n"), "\(ended.output)")
        let without = try ListeningProgram(program, "--session", "none")
        try without.send(NetworkDatagram.contactLogged(SampleContact("K1AA")))
        try without.answers(1)
        #expect(try without.end().status == 0)
        #expect(try program.json("qso", "list", "--session", session)["qsos"].map { ($0 as? [Any])?.count } == 2)
        #expect(try program.json("qso", "count")["total"] as? Int == 3)
    }

    @Test func `a datagram of 60 kB is read whole`() throws {
        let program = try Program()
        let listening = try ListeningProgram(program)
        var sample = SampleContact()
        sample.comment = String(repeating: "x", count: 60_000)
        try listening.send(NetworkDatagram.adifLogged(sample), NetworkDatagram.adifLogged(SampleContact("K1AA")))
        try listening.waitForOutput("K1AA")
        #expect(outcomes(try listening.answers(1)) == ["new", "new"])
        #expect(try listening.end().status == 0)
        #expect(try fields(program, "W1AW")["COMMENT"] == sample.comment)
    }

    @Test func `what cannot be read or written is told, and the rest is logged`() throws {
        let program = try Program()
        let listening = try ListeningProgram(program, "--wait", "0", isText: true)
        let damaged = NetworkDatagram.contactLogged(SampleContact("K1AA"))
        try listening.send(Array(damaged.prefix(100)), Array("junk".utf8))
        try listening.waitForError("A contact that WSJT-X has reported cannot be read: it is cut off.")
        let lock = try FileHandle(forUpdating: program.store.appending(path: "log.mdb-writer"))
        #expect(flock(lock.fileDescriptor, LOCK_EX | LOCK_NB) == 0)
        try listening.send(NetworkDatagram.contactLogged(SampleContact("K1AB")))
        try listening.waitForError("K1AB 14.074500 MHz FT8 2026-05-01 12:00:15Z from WSJT-X was not written: ")
        try lock.close()
        try listening.send(NetworkDatagram.contactLogged(SampleContact("K1AC")))
        try listening.waitForOutput("K1AC")
        let ended = try listening.end()
        #expect(ended.status == 3 && ended.output.hasSuffix("\n1 new contact, 1 not logged.\n"), "\(ended.output)")
        #expect(ended.errors.contains("Not understood, and of no known program: 1 datagram."))
        #expect(try program.json("qso", "count")["total"] as? Int == 1)
    }

    @Test func `waits for another program that writes`() throws {
        let program = try Program()
        let listening = try ListeningProgram(program)
        let lock = try FileHandle(forUpdating: program.store.appending(path: "log.mdb-writer"))
        #expect(flock(lock.fileDescriptor, LOCK_EX | LOCK_NB) == 0)
        try listening.send(["K1AA", "K1AB", "K1AC"].map { NetworkDatagram.contactLogged(SampleContact($0)) })
        try listening.waitForError("Waiting for ")
        try lock.close()
        #expect(outcomes(try listening.answers(3)) == ["new", "new", "new"])
        #expect(try listening.end().status == 0)
    }

    @Test func `a port at which another program receives is refused`() throws {
        let program = try Program()
        let listening = try ListeningProgram(program)
        let refused = try program.run("listen", "--udp", "0", "--udp", "\(listening.port)", "--json")
        #expect(refused.status == 75 && refused.error["code"] as? String == "busy", "\(refused)")
        #expect(refused.error["message"] as? String == "Another program receives at the UDP port \(listening.port).")
        #expect(try listening.end().status == 0)
        #expect(try program.run("listen", "--udp", "65536").status == 64)
    }
}
