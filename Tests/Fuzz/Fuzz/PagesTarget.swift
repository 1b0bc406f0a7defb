import GroundwaveByteCoding
import GroundwaveEvents

@testable import GroundwaveEventLog
@testable import GroundwaveLogRepair

extension Target {
    /// The file of a log as its verifier reads it, page by page, and as salvage does.
    ///
    /// Pages are mostly zeros, so an input tells only what is not: the number of pages (2 bytes), then pieces: where (4),
    /// how many bytes (2), and these. All integers are little-endian. In every second input the frames get right
    /// checksums, so that the checks of events are reached.
    static let pages = Target(name: "pages", byteLimit: 12288) { input in
        guard let mode = input.first else { return }
        var file = sparseFile(Array(input.dropFirst()))
        if mode & 1 == 1 { mendFrames(&file) }
        MemoryFile.shared.fill(file)
        let path = MemoryFile.shared.path
        let report = mustNotThrow("whatever is in a file, the answer is a report") {
            try LogVerifier.verify(path: path, cores: 1)
        }
        require(!report.ok || report.missing.isEmpty, "a log that is right lacks nothing")
        require(report.replicas.reduce(0) { $0 + $1.events } == report.events, "each event is of a replica")
        require(report.events <= UInt64(file.count / 60), "there are no more events than have room")
        require(report.damage.count <= 3 * DamageList.limit, "a report is bounded")
        for damage in report.damage { require(!damage.detail.isEmpty, "damage is told in words") }
        if mode & 2 == 2 {
            let other = mustNotThrow("several cores read what one reads") {
                try LogVerifier.verify(path: path, cores: 2, leafCount: 1)
            }
            require(other == report, "the report is the same however many cores there are")
        }
        if mode & 4 == 4 { checkSalvage(path, file.count) }
    }

    /// What is got out of a file is whole, none twice, and nothing of it is called missing.
    private static func checkSalvage(_ path: String, _ byteCount: Int) {
        let salvage = mustNotThrow("whatever is in a file, salvage gives what there is") { try Salvage(path: path) }
        require(salvage.count <= byteCount / 60, "there are no more events than have room")
        let missing = EventSet(salvage.missing)
        var seen: Set<EventID> = []
        mustNotThrow("what was found is there") {
            try salvage.forEachEvent { frame, _ in
                require(seen.insert(frame.id).inserted, "no event is found twice")
                require(!missing.contains(frame.id), "what was found is not missing")
            }
        }
        require(seen.count == salvage.count, "all that was found is handed out")
    }

    static func sparseFile(_ bytes: [UInt8]) -> [UInt8] {
        var dice = Dice(bytes)
        let count = dice.uint16() % 65
        var file = [UInt8](repeating: 0, count: count * 4096)
        while !dice.isAtEnd {
            let start = dice.uint16() | dice.uint16() << 16
            let piece = dice.bytes(min(dice.uint16(), dice.rest.count))
            for (index, byte) in piece.enumerated() where start + index < file.count { file[start + index] = byte }
        }
        return file
    }

    /// The input that makes `file`: stretches of zeros are left out.
    static func sparse(_ file: [UInt8]) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(littleEndian: UInt16(file.count / 4096))
        var place = 0
        while place < file.count {
            guard file[place] != 0 else {
                place += 1
                continue
            }
            // Eight zeros cost more than a new piece.
            var end = place
            while end < file.count, end - place < 4096,
                file[end..<min(end + 8, file.count)].contains(where: { $0 != 0 })
            {
                end += 1
            }
            writer.append(littleEndian: UInt32(place))
            writer.append(littleEndian: UInt16(end - place))
            writer.append(contentsOf: Array(file[place..<end]))
            place = end
        }
        return writer.bytes
    }

    private static func mendFrames(_ file: inout [UInt8]) {
        var place = 8192
        while place + 60 < file.count {
            if file[place] == 0x47, file[place + 1] == 0x57, file[place + 2] == 0x45, file[place + 3] == 0x31 {
                mendFrame(&file, at: place)
            }
            place += 2
        }
    }
}
