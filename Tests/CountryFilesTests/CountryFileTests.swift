import GroundwaveCountryFiles
import GroundwaveSeededNumbers
import Testing

@Suite struct `A country file` {
    private static let dat = """
        Lakeland:                 14:  28:  EU:   49.00:    -9.00:    -1.0:  DL:
            DA,DL,Y2(15)[29],=DL0LAKE(16);\r
        Shore Islands:            14:  27:  EU:   50.00:     6.00:     0.0:  *G/S:
            =G4SHORE/P,GZ;\r
        Hill Country:             05:  08:  NA:   37.00:    91.00:     5.0:  K:
            K,N,W,K5(4)[7],W5(4)[7],W6(3)[6];\r
        Far Hills:                31:  61:  OC:   21.00:   157.00:    10.0:  KH6:
            AH6,KH6,WH6,=K1FAR{AN}<1.0/2.0>~3~;\r

        """
    private static let csv = """
        DL,Lakeland,230,EU,14,28,49.00,-9.00,-1.0,DA DL Y2(15)[29] =DL0LAKE(16);
        K,Hill Country,291,NA,5,8,37.00,91.00,5.0,K N W K5(4)[7] W5(4)[7] W6(3)[6];
        KH6,Far Hills,110,OC,31,61,21.00,157.00,10.0,AH6 KH6 WH6;

        """

    private func file(_ text: String) throws -> CountryFile { try CountryFile(Array(text.utf8)) }

    @Test(arguments: [
        ("DL1AA", "Lakeland", 14, 28, "EU"), ("y2abc", "Lakeland", 15, 29, "EU"), ("DL0LAKE", "Lakeland", 16, 28, "EU"),
        ("DL0LAKE/P", "Lakeland", 16, 28, "EU"), ("G4SHORE/P", "Shore Islands", 14, 27, "EU"),
        ("W1AW", "Hill Country", 5, 8, "NA"), ("W5AA", "Hill Country", 4, 7, "NA"),
        ("W1AW/5", "Hill Country", 4, 7, "NA"),
        ("W1AW/P", "Hill Country", 5, 8, "NA"), ("W1AW/QRP", "Hill Country", 5, 8, "NA"),
        ("W1AW/KH6", "Far Hills", 31, 61, "OC"), ("KH6/W1AW", "Far Hills", 31, 61, "OC"),
        ("DL/W1AW", "Lakeland", 14, 28, "EU"), ("DL/W1AW/P", "Lakeland", 14, 28, "EU"),
        ("WH6XYZ", "Far Hills", 31, 61, "OC"), ("K1FAR", "Far Hills", 31, 61, "AN"),
    ])
    func `says where a call is`(call: String, country: String, cqZone: Int, ituZone: Int, continent: String) throws {
        let place = try #require(try file(Self.dat).place(of: call))
        #expect(place.country.name == country && place.cqZone == cqZone && place.ituZone == ituZone)
        #expect(place.continent == continent && place.country.number == nil)
        #expect(place.country.isEntity == (country != "Shore Islands"))
    }

    @Test(arguments: ["", "/", "XX1A", "W1AW/MM", "DL1AA/AM", "G4SHORE", "1"])
    func `says nothing of others`(call: String) throws {
        #expect(try file(Self.dat).place(of: call) == nil)
    }

    @Test func `as a table has the numbers of DXCC`() throws {
        let file = try file(Self.csv)
        #expect(file.count == 3)
        #expect(file.place(of: "W5AA")?.country.number == 291 && file.place(of: "W5AA")?.cqZone == 4)
        #expect(file.place(of: "AH6A")?.country.number == 110)
        // Whatever the format says of a call, both say the same.
        let other = try self.file(Self.dat)
        for call in ["DL1AA", "Y2A", "W5AA", "KH6/W1AW", "W1AW/6", "DL0LAKE"] {
            #expect(file.place(of: call)?.cqZone == other.place(of: call)?.cqZone)
            #expect(file.place(of: call)?.country.name == other.place(of: call)?.country.name)
        }
    }

    @Test(arguments: [
        ("", "no country"), ("DL,Lakeland,230,EU;", "ten values"), ("Lakeland: 14: 28: EU;", "eight values"),
        ("DL,Lakeland,x,EU,14,28,1,2,3,DL;", "ten values"), ("DL,Lakeland,230,XX,14,28,1,2,3,DL;", "a continent"),
        ("<CALL:4>W1AW<EOR>", "eight values"),
    ])
    func `of another form is refused with the reason`(text: String, reason: String) {
        do {
            _ = try file(text)
            Issue.record("It was read.")
        } catch { #expect("\(error)".contains(reason)) }
        #expect(throws: CountryFile.Problem.self) {
            try CountryFile(Array(repeating: 0x20, count: CountryFile.byteLimit + 1))
        }
    }

    @Test func `with any bytes is read or refused, and so is any call`() throws {
        var numbers = SeededGenerator(seed: 11)
        let samples = [Array(Self.dat.utf8), Array(Self.csv.utf8)]
        let letters = Array("W1/DKH6PM=*(".unicodeScalars)
        for round in 0..<2000 {
            var bytes = samples[round % 2]
            for _ in 0..<4 {
                bytes[Int.random(in: 0..<bytes.count, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
            }
            guard let file = try? CountryFile(bytes) else { continue }
            var call = ""
            for _ in 0..<Int.random(in: 0...8, using: &numbers) {
                call.unicodeScalars.append(letters[Int.random(in: 0..<letters.count, using: &numbers)])
            }
            let place = file.place(of: call)
            #expect(place == nil || !call.isEmpty)
        }
    }
}
