import Foundation

/// Something that reads bytes from outside, and what has to be so whatever the bytes are.
struct Target: Sendable {
    /// The name, which is also that of its folder in Fixtures/fuzz.
    let name: String
    /// The most bytes of an input that still tell something new.
    let byteLimit: Int
    /// Reads the bytes; ends the process where a promise is broken.
    let run: @Sendable ([UInt8]) -> Void

    static let all = [
        frame, event, recordChange, row, range, snapshot, archive, adif, pages, segment, catalog, manifest, notes,
        samples, summary, capture, table, foreignTable, meter, datagram,
    ]

    /// The target of this process. libFuzzer calls one function without arguments of ours; it has one thread.
    nonisolated(unsafe) static var running = all[0]
}

/// Ends the process, so that libFuzzer keeps the input, unless `condition` holds.
func require(_ condition: Bool, _ promise: @autoclosure () -> String, line: UInt = #line, file: StaticString = #file) {
    guard !condition else { return }
    FileHandle.standardError.write(Data("Broken promise: \(promise()) (\(file):\(line))\n".utf8))
    abort()
}

/// The value of `body`, which must not throw.
func mustNotThrow<Result>(_ promise: String, line: UInt = #line, _ body: () throws -> Result) -> Result {
    do { return try body() } catch {
        require(false, "\(promise): \(error)", line: line)
        abort()
    }
}
