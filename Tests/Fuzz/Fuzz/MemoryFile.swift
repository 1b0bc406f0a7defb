import CFuzzer
import Foundation

/// A file that is in memory only and has a path: for what reads files by their names.
final class MemoryFile: Sendable {
    private let descriptor: Int32

    var path: String { "/proc/self/fd/\(descriptor)" }

    init(_ name: String) {
        descriptor = fuzz_memory_file(name)
        precondition(descriptor >= 0, "A file in memory can be made.")
    }

    deinit { close(descriptor) }

    /// Makes `bytes` the content.
    func fill(_ bytes: [UInt8]) {
        precondition(ftruncate(descriptor, 0) == 0, "A file in memory can be emptied.")
        let written = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        precondition(written == bytes.count, "A file in memory takes what it gets.")
    }

    /// The file of this target, made when it is first asked for.
    static let shared = MemoryFile("groundwave-fuzz")
}
