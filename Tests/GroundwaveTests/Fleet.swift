import Everything
import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveTesting

/// Several devices that share a log, with clocks that are wrong, and that meet now and then.
struct Fleet {
    let folder: TemporaryFolder
    let stores: [Store]
    let clocks: [VirtualClock]
    var numbers: SeededGenerator

    /// - Parameters:
    ///   - skew: The most that a clock is wrong by.
    ///   - projections: What each device derives beside what the library does.
    init(
        _ count: Int, seed: UInt64, skew: Duration = .seconds(3600), projections: [any Projection.Type] = []
    ) async throws {
        folder = try TemporaryFolder()
        numbers = SeededGenerator(seed: seed)
        var stores: [Store] = []
        var clocks: [VirtualClock] = []
        for place in 0..<count {
            let clock = VirtualClock()
            clock.advance(by: skew * Double.random(in: 0...1, using: &numbers))
            let configuration = Configuration.full(
                author: "N\(place)CALL", deviceName: "device \(place)", projections: projections,
                surroundings: .virtual(clock, seed: seed &* 100 + UInt64(place)))
            let url = folder.url.appending(path: "\(place)")
            if let first = stores.first {
                _ = try await first.replay(to: url, deviceName: "device \(place)")
                stores.append(try await Store.open(at: url, configuration).whole)
            } else {
                stores.append(try await Store.create(at: url, configuration))
            }
            clocks.append(clock)
        }
        self.stores = stores
        self.clocks = clocks
    }

    /// One random thing happens: mostly a write, now and then devices meet.
    mutating func step() async throws {
        let place = Int.random(in: 0..<stores.count, using: &numbers)
        let store = stores[place]
        for clock in clocks { clock.advance(by: .milliseconds(Int.random(in: 0...120_000, using: &numbers))) }
        let ids = try store.read { try $0.all(.everything).map(\.id) }
        let hidden = try store.read { view in
            var query = ContactQuery.everything
            query.isHidden = true
            return try view.all(query).map(\.id)
        }
        let id = ids.randomElement(using: &numbers)
        let value = "v\(Int.random(in: 0...9, using: &numbers))"
        switch Int.random(in: 0..<12, using: &numbers) {
        case 0...2:
            let call = "N\(Int.random(in: 0...9, using: &numbers))CALL"
            let minute = String(format: "%04d", Int.random(in: 0...59, using: &numbers))
            _ = try await store.write { batch in
                try batch.add(
                    "qso",
                    [
                        Assignment("CALL", text: call), Assignment("QSO_DATE", text: "20260101"),
                        Assignment("TIME_ON", text: minute), Assignment("BAND", text: "20m"),
                    ])
            }
        case 3...6:
            guard let id, try store.record("qso", id)?.isErased == false else { return }
            let field = ["COMMENT", "CALL", "NAME", "FREQ", "MODE", "APP_X_Y"].randomElement(using: &numbers) ?? "NAME"
            let new = field == "FREQ" ? "14.0\(value.dropFirst())" : value
            _ = try await store.write { batch in
                try batch.set("qso", id, [Assignment(field, text: new), Assignment("QTH", text: value)])
            }
        case 7:
            guard let id else { return }
            _ = try await store.write { try $0.remove("qso", id) }
        case 8:
            guard let id = hidden.randomElement(using: &numbers), try store.record("qso", id)?.isErased == false else {
                return
            }
            _ = try await store.write { try $0.restore("qso", id) }
        case 9:
            let first = Int.random(in: 0...20, using: &numbers)
            let text = (first..<first + 5).map { number in
                adi(["CALL": "W1AW", "QSO_DATE": "20260102", "TIME_ON": "\(1200 + number)", "NAME": value])
            }.joined()
            try await store.importText(text, named: "file\(first % 3).adi")
        default:
            let other = Int.random(in: 0..<stores.count, using: &numbers)
            if other != place { try Self.send(from: stores[other], to: store, at: clocks[place]) }
        }
    }

    /// Everything that `from` has and `to` lacks.
    static func send(from: Store, to: Store, at clock: VirtualClock) throws {
        var frames: [[UInt8]] = []
        for range in try from.log.vector().ranges(missingFrom: to.log.vector()) {
            try from.log.scan(range) { _, frame, bytes in
                frames.append(bytes.extracting(0..<frame.length).toArray())
                return true
            }
        }
        _ = try to.log.append(copying: frames, arrival: clock.now)
        try to.views.catchUp()
    }

    /// All meet all.
    func meet() throws {
        for store in stores {
            for (place, other) in stores.enumerated() where other !== store {
                try Self.send(from: store, to: other, at: clocks[place])
            }
        }
        for (place, other) in stores.enumerated().dropFirst() {
            try Self.send(from: stores[0], to: other, at: clocks[place])
        }
    }

    func close() { for store in stores { try? store.close() } }
}

/// A fresh log and its views, made of some of the events of another one.
final class FreshFold {
    let folder: TemporaryFolder
    let log: EventLog
    let views: Views

    /// - Parameter isIncluded: Which of the events, in the order of the other log.
    convenience init(of store: Store, _ isIncluded: (Position, Frame) -> Bool) throws {
        var frames: [[UInt8]] = []
        try store.log.scan(from: 1) { position, frame, bytes in
            if isIncluded(position, frame) { frames.append(bytes.extracting(0..<frame.length).toArray()) }
            return true
        }
        try self.init(frames, of: store)
    }

    /// - Parameter frames: Some events of the log of `store`, in the order of that log.
    init(_ frames: [[UInt8]], of store: Store) throws {
        folder = try TemporaryFolder()
        log = try EventLog.create(at: folder.path("log.mdb"), id: store.log.id, epoch: 1)
        _ = try log.append(copying: frames, arrival: .now())
        views = Views(of: log, kinds: store.kinds, at: folder.path("views.mdb"))
        try views.catchUp()
    }

    deinit {
        views.close()
        try? log.close()
    }
}
