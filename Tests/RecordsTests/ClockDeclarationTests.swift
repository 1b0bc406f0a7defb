import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveRecords
import GroundwaveSeededNumbers
import Testing

@Suite struct `Declarations of wrong clocks` {
    private static let one = Scene.replica("a")
    private static let other = Scene.replica("b")

    private static func stamp(_ milliseconds: Int64, _ counter: UInt16 = 0) -> Stamp {
        Stamp(milliseconds: milliseconds, counter: counter)
    }

    @Test func `lower what was stamped from the wrong time on, of that replica alone`() {
        var declared = ClockDeclarations()
        declared.add([ClockDeclaration(from: 1000, ceiling: 500)], of: Self.one)
        #expect(declared.stamp(Self.stamp(999, .max), of: Self.one) == Self.stamp(999, .max))
        #expect(declared.stamp(Self.stamp(1000), of: Self.one) == Self.stamp(500))
        #expect(declared.stamp(Stamp(rawValue: .max), of: Self.one) == Self.stamp(500))
        #expect(declared.stamp(Self.stamp(1000), of: Self.other) == Self.stamp(1000))
    }

    @Test func `raise nothing`() {
        var declared = ClockDeclarations()
        declared.add([ClockDeclaration(from: 1000, ceiling: 2000)], of: Self.one)
        #expect(declared.stamp(Self.stamp(1500, 3), of: Self.one) == Self.stamp(1500, 3))
        #expect(declared.stamp(Self.stamp(2500), of: Self.one) == Self.stamp(2000))
    }

    @Test(arguments: [
        "", " ", "1", "1 ", " 1", "1 2 3", "1  2", "-1 2", "1 -2", "a b", "281474976710656 1", "1 281474976710656",
        "9223372036854775808 1", "1\u{0}2", "1 2\n",
    ])
    func `are two times that a stamp can have, and anything else says nothing`(text: String) {
        #expect(ClockDeclaration(reading: text.utf8) == nil)
    }

    @Test func `are written as they are read`() {
        let declaration = ClockDeclaration(from: 281_474_976_710_655, ceiling: 0)
        #expect(declaration.text == "281474976710655 0")
        #expect(ClockDeclaration(reading: declaration.text.utf8) == declaration)
        #expect(ClockDeclaration(reading: [0xFF, 0x20, 0xFF] as [UInt8]) == nil)
    }

    @Test(arguments: UInt64(0)..<100)
    func `count together: of all that apply the least ceiling, in whatever order they come`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        var all: [(replica: ReplicaID, from: Int64, ceiling: Int64)] = []
        var declared = ClockDeclarations()
        for _ in 0..<Int.random(in: 0...12, using: &numbers) {
            let replica = Bool.random(using: &numbers) ? Self.one : Self.other
            let (from, ceiling) = (
                Int64.random(in: 0...40, using: &numbers), Int64.random(in: 0...40, using: &numbers)
            )
            all.append((replica, from, ceiling))
            declared.add([ClockDeclaration(from: from, ceiling: ceiling)], of: replica)
        }
        var shuffled = ClockDeclarations()
        for entry in all.shuffled(using: &numbers) {
            shuffled.add([ClockDeclaration(from: entry.from, ceiling: entry.ceiling)], of: entry.replica)
        }
        let bytes = declared.encode()
        #expect(try shuffled == declared && bytes.withSpan { try ClockDeclarations(decoding: $0) } == declared)
        func counted(_ stamp: Stamp, _ replica: ReplicaID) -> Stamp {
            all.filter { $0.replica == replica && Self.stamp($0.from) <= stamp }
                .map { min(stamp, Self.stamp($0.ceiling)) }.min() ?? stamp
        }
        for replica in [Self.one, Self.other] {
            for milliseconds in Int64(0)...42 {
                let stamp = Self.stamp(milliseconds, UInt16.random(in: 0...2, using: &numbers))
                #expect(declared.stamp(stamp, of: replica) == counted(stamp, replica))
                // From which stamp on everything counts as written by then.
                let first = all.filter { $0.replica == replica && Self.stamp($0.ceiling) <= stamp }.map(\.from).min()
                #expect(declared.firstStamp(of: replica, countedUpTo: stamp) == first.map { Self.stamp($0) })
            }
        }
    }

    @Test(arguments: UInt64(0)..<100)
    func `differ from others at most from a known stamp on`(seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        func random() -> ClockDeclarations {
            var declared = ClockDeclarations()
            for _ in 0..<Int.random(in: 0...4, using: &numbers) {
                let (from, ceiling) = (
                    Int64.random(in: 0...20, using: &numbers), Int64.random(in: 0...20, using: &numbers)
                )
                declared.add([ClockDeclaration(from: from, ceiling: ceiling)], of: Self.one)
            }
            return declared
        }
        let (left, right) = (random(), random())
        let first = left.differences(from: right)[Self.one]
        for milliseconds in Int64(0)...22 {
            let stamp = Self.stamp(milliseconds, 1)
            guard left.stamp(stamp, of: Self.one) != right.stamp(stamp, of: Self.one) else { continue }
            #expect(first.map { $0 <= stamp } == true)
        }
        #expect((first == nil) == (left == right))
    }

    @Test func `cut short are refused`() {
        var declared = ClockDeclarations()
        declared.add([ClockDeclaration(from: 1000, ceiling: 500)], of: Self.one)
        let bytes = declared.encode()
        for count in 0..<bytes.count {
            #expect(throws: ByteCodingError.self) {
                try Array(bytes[..<count]).withSpan { _ = try ClockDeclarations(decoding: $0) }
            }
        }
    }

    // A source that corrects what it said while its clock was ahead has not spoken after the correction.
    @Test func `a source spoke first when it corrected that at the latest`() throws {
        var scene = Scene()
        let source = SourceID(rawValue: 9)
        scene.write(
            "a", at: 5, source: source,
            FieldOperation(.set, Scene.frequency, value: [1], since: Stamp(rawValue: 50)))
        let head = try #require(try scene.folded()[Scene.frequency]?.heads.first)
        #expect(head.since == Stamp(rawValue: 5))
    }
}
