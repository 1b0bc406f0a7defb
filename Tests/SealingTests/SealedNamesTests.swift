import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveSealing
import GroundwaveSeededNumbers
import Testing

@Suite struct `The sealed names of objects` {
    private static let names = SealedNames(namesKey: Samples.keyBytes)
    private static let replica = "G20R50W4GP38F249HA5RS3CEHW"
    private static let sealedReplica = "C7TV1ME3WPA5RD6Z2S10Y7KHHG"
    private static let hash = "808182838485868788898a8b8c8d8e8f"
    private static let sealedHash = "a2c180eb4d1d1560b9ef5b83bca76732"

    @Test(arguments: [
        ("groundwave-log", "groundwave-sealed"),
        ("groundwave-log-again", "groundwave-sealed-again"),
        ("stores/\(replica)/catalog", "stores/\(sealedReplica)/catalog"),
        ("stores/\(replica)/00000000000000000017.segment", "stores/\(sealedReplica)/00000000000000000017.segment"),
        ("stores/\(replica)/\(hash).pack", "stores/\(sealedReplica)/\(sealedHash).pack"),
        ("snapshots/heads/001700000000000-\(hash).head", "snapshots/heads/044200900729937-\(sealedHash).head"),
        (
            "snapshots/parts/001700000000000-\(hash)-0007.part",
            "snapshots/parts/044200900729937-\(sealedHash)-0007.part"
        ),
        (
            "snapshots/parts/957499099270062-\(hash)-9999.part",
            "snapshots/parts/999999999999999-\(sealedHash)-9999.part"
        ),
    ])
    func `are those that the table says`(plain: String, sealed: String) {
        #expect(Self.names.sealed(plain) == sealed && Self.names.plain(sealed) == plain)
    }

    @Test(arguments: [
        "", "/", "groundwave", "groundwave-LOG", "groundwave-log/", "groundwave-log-again-again", "stores", "stores/",
        "stores/\(replica)", "stores/\(replica)/", "stores/\(replica)/Catalog", "stores/\(replica)/catalog/",
        "stores/\(replica)//catalog", "stores/\(replica)/catalog/x", "stores/\(replica.lowercased())/catalog",
        "stores/\(replica.dropLast())/catalog", "stores/\(replica)0/catalog", "stores/\(replica.dropLast())Z/catalog",
        "stores/G20R-50W4GP38F249HA5RS3CEHW/catalog", "stores/\(replica)/1.segment", "stores/\(replica)/.segment",
        "stores/\(replica)/0000000000000000001x.segment", "stores/\(replica)/000000000000000000001.segment",
        "stores/\(replica)/-0000000000000000001.segment", "stores/\(replica)/00000000000000000001.Segment",
        "stores/\(replica)/\(hash)", "stores/\(replica)/\(hash.uppercased()).pack", "stores/\(replica)/\(hash)00.pack",
        "stores/\(replica)/\(hash.dropLast(2)).pack", "stores/\(replica)/\(hash.dropLast())g.pack",
        "snapshots/heads/00170000000000-\(hash).head", "snapshots/heads/0001700000000000-\(hash).head",
        "snapshots/heads/+01700000000000-\(hash).head", "snapshots/heads/001700000000000_\(hash).head",
        "snapshots/heads/001700000000000-\(hash).part", "snapshots/heads/001700000000000-\(hash)-0001.head",
        "snapshots/parts/001700000000000-\(hash).part", "snapshots/parts/001700000000000-\(hash)-1.part",
        "snapshots/parts/001700000000000-\(hash)-00001.part", "snapshots/parts/001700000000000-\(hash)-0001-0001.part",
        "snapshots/tails/001700000000000-\(hash).head", "snapshots/001700000000000-\(hash).head",
        "stores/\(replica)/cata\u{6C}og\u{301}", "stores/\u{212A}20R50W4GP38F249HA5RS3CEHW/catalog",
    ])
    func `are of names with the forms of the table only`(name: String) {
        #expect(Self.names.sealed(name) == nil && Self.names.plain(name) == nil)
    }

    @Test func `have a plain one only if they are of the right direction`() {
        #expect(Self.names.plain("groundwave-log") == nil && Self.names.sealed("groundwave-sealed") == nil)
        // The sum is 15 nines and one more; the difference is less than zero.
        #expect(Self.names.sealed("snapshots/heads/957499099270063-\(Self.hash).head") == nil)
        #expect(Self.names.plain("snapshots/heads/042500900729936-\(Self.hash).head") == nil)
        #expect(
            Self.names.plain("snapshots/heads/042500900729937-\(Self.sealedHash).head")
                == "snapshots/heads/000000000000000-\(Self.hash).head")
    }

    @Test func `are in folders with sealed names`() {
        for folder in ["stores", "snapshots", "snapshots/heads", "snapshots/parts"] {
            #expect(Self.names.sealed(folder: folder) == folder)
        }
        #expect(Self.names.sealed(folder: "stores/\(Self.replica)") == "stores/\(Self.sealedReplica)")
        #expect(Self.names.plain(storeFolder: Self.sealedReplica) == Self.replica)
        for folder in ["", "stores/", "stores/x", "snapshots/tails", "stores/\(Self.replica)/", "groundwave-log"] {
            #expect(Self.names.sealed(folder: folder) == nil && Self.names.plain(storeFolder: folder) == nil)
        }
    }

    @Test(arguments: UInt64(1)...20)
    func `differ where plain ones do, stay in order, and lead back`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let names = SealedNames(namesKey: numbers.bytes(32))
        var plain: Set<String> = ["groundwave-log", "groundwave-log-again"]
        let stores = (0..<4).map { _ in ReplicaID.random(using: &numbers) }
        func digits(_ number: UInt64, _ count: Int) -> String {
            String(repeating: "0", count: count - String(number).count) + String(number)
        }
        var times: [UInt64] = []
        for _ in 0..<100 {
            let store = try #require(stores.randomElement(using: &numbers))
            let hash = Hexadecimal.encode(numbers.bytes(16))
            let time = UInt64.random(in: 0..<200_000_000_000_000, using: &numbers)
            times.append(time)
            plain.insert("stores/\(store)/catalog")
            plain.insert("stores/\(store)/\(digits(UInt64.random(in: 1...1 << 48, using: &numbers), 20)).segment")
            plain.insert("stores/\(store)/\(hash).pack")
            plain.insert("snapshots/heads/\(digits(time, 15))-\(hash).head")
            plain.insert("snapshots/parts/\(digits(time, 15))-\(hash)-\(digits(numbers.next() % 10000, 4)).part")
        }
        let sealed = try plain.map { try #require(names.sealed($0)) }
        #expect(Set(sealed).count == plain.count && Set(sealed.compactMap { names.plain($0) }) == plain)
        #expect(Set(sealed).isDisjoint(with: plain))
        let hash = String(repeating: "0", count: 32)
        let heads = try times.sorted().map {
            try #require(names.sealed("snapshots/heads/\(digits($0, 15))-\(hash).head"))
        }
        #expect(heads == heads.sorted())
    }

    @Test func `are others under another key`() throws {
        let other = SealedNames(namesKey: [UInt8](1..<33))
        let name = "snapshots/heads/001700000000000-\(Self.hash).head"
        let (one, two) = (try #require(Self.names.sealed(name)), try #require(other.sealed(name)))
        #expect(one.prefix(31) != two.prefix(31) && one.suffix(37) != two.suffix(37))
        #expect(other.sealed("stores/\(Self.replica)/catalog") != Self.names.sealed("stores/\(Self.replica)/catalog"))
    }

    @Test func `show no key in texts`() {
        for text in Secrets.texts(of: Self.names) {
            #expect(!Secrets.shows(text, Samples.keyBytes) && !text.contains("42500900729937"), "\(text)")
        }
    }
}
