import Foundation
import GroundwaveMeterProtocols
import GroundwaveStore

/// The line to a meter that is a USB HID: FNIRSI's by USB, and the KM003C. Linux only, by its `hidraw` nodes.
///
/// A read gives one report, and each command is sent as one. A HID belongs to one line at a time, over all processes. One
/// that was disconnected can be opened anew, under whatever number it comes back. Reading blocks the thread. A line is
/// used by one thread at a time.
public final class HIDLine: MeterPort {
    /// The node that is open, or was last: `/dev/hidraw3`.
    public private(set) var path = ""

    package let isFile = false
    package let canSend = true
    package let canReturn = true

    // Returns the path of the node; `nil` if there is none.
    private let find: () throws -> String?
    private var line: LineDescriptor?

    /// Opens the HID that `address` names: `hid:` for the only one of `model`, `hid:2E3C:5558` for the only one of this
    /// vendor and product, `hid:/dev/hidraw3` for this node.
    ///
    /// - Throws: ``StoreError`` with code `usage` if `address` names none, or if several are there; `notFound`,
    ///   `notPermitted` or `inputOutput` if it cannot be opened; `busy` if another line has it.
    public convenience init(_ address: String, for model: MeterModel) throws {
        try self.init(HIDAddress(address), for: model, nodes: { HIDNode.all() })
    }

    /// Opens one of `nodes`, which are looked up again whenever the HID is opened.
    init(_ address: HIDAddress, for model: MeterModel, nodes: @escaping () -> [HIDNode]) throws {
        find = { try address.path(of: model, among: nodes()) }
        guard let path = try find(), let line = try Self.open(path) else {
            throw address.notFound(model, among: nodes())
        }
        (self.path, self.line) = (path, line)
    }

    /// Takes over a descriptor that is open; when its other end is closed, `find` returns the path of another one.
    init(_ descriptor: Int32, find: @escaping () throws -> String? = { nil }) {
        self.find = find
        line = LineDescriptor(descriptor, of: "the HID", isDevice: true)
    }

    /// Whether `path` is an address of a HID, and not a path.
    package static func isAddress(_ path: String) -> Bool { path.hasPrefix(HIDAddress.prefix) }

    /// Returns the node at `path`, open and locked; `nil` if there is none.
    private static func open(_ path: String) throws -> LineDescriptor? {
        let descriptor = Foundation.open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            if [ENOENT, ENODEV, ENXIO].contains(errno) { return nil }
            throw StoreError(
                errno == EACCES ? .notPermitted : .inputOutput,
                "\(path) cannot be opened: \(String(cString: strerror(errno))).",
                hint: errno == EACCES
                    ? "A udev rule permits it: see “Recording” in Docs/Meters.md."
                    : "Check that the meter is connected.")
        }
        let line = LineDescriptor(descriptor, of: path, isDevice: true)
        try line.lock()
        return line
    }

    /// Waits at most `milliseconds` for a report.
    ///
    /// - Throws: ``StoreError`` if the HID reports an error. If it is gone, the result is `end`.
    public func read(waitingMilliseconds milliseconds: Int) throws -> MeterLine.Arrival {
        try line?.read(waitingMilliseconds: milliseconds) ?? .end
    }

    package func hasMore() -> Bool { line?.hasMore == true }

    /// Sends a command as one report.
    ///
    /// - Throws: ``StoreError`` for the system error if the device does not take it. One that is gone
    ///   is no error: reading says so.
    public func send(_ bytes: [UInt8]) throws {
        // Its reports have no numbers: Linux wants a 0 in the place of one, and does not send it.
        try line?.send([0] + bytes)
    }

    /// After the end: opens the HID anew, if it is there again; else waits for `milliseconds`.
    ///
    /// - Returns: Whether it is there.
    /// - Throws: ``StoreError`` with code `busy` if another line has it, and with code `usage` if several are there now.
    public func reopen(waitingMilliseconds milliseconds: Int) throws -> Bool {
        line = nil
        do {
            if let path = try find(), let line = try Self.open(path) {
                (self.path, self.line) = (path, line)
                return true
            }
        } catch let error as StoreError where [.notPermitted, .inputOutput].contains(error.code) {
            // The node is made before its permissions are set.
        }
        LineDescriptor.wait(milliseconds: milliseconds)
        return false
    }
}
