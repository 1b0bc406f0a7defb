import Foundation
import GroundwaveMeterProtocols

/// A USB HID as Linux shows it to programs.
struct HIDNode: Hashable {
    /// What the device says it is.
    let identity: USBIdentity
    /// The file to read and write: `/dev/hidraw3`.
    let path: String

    /// The folder in which Linux describes each node.
    static let descriptions = "/sys/class/hidraw"
    /// The folder with the nodes themselves.
    static let devices = "/dev"

    /// Returns the nodes of USB devices that are described below `descriptions`, in order of their numbers.
    static func all(describedIn descriptions: String = descriptions, in devices: String = devices) -> [HIDNode] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: descriptions)) ?? []
        let numbers = names.compactMap { $0.hasPrefix("hidraw") ? Int($0.dropFirst("hidraw".count)) : nil }
        return numbers.sorted().compactMap { number in
            let file = "\(descriptions)/hidraw\(number)/device/uevent"
            guard let text = try? String(contentsOfFile: file, encoding: .utf8), let identity = identity(in: text)
            else {
                return nil
            }
            return HIDNode(identity: identity, path: "\(devices)/hidraw\(number)")
        }
    }

    /// Returns the identity in a description: a line `HID_ID=0003:00002E3C:00005558`, of which 0003 is USB; `nil` if
    /// there is none, or if it is that of another bus.
    private static func identity(in text: String) -> USBIdentity? {
        let lines = text.split(whereSeparator: \.isNewline)
        guard let line = lines.first(where: { $0.hasPrefix("HID_ID=") }) else { return nil }
        let numbers = line.dropFirst("HID_ID=".count).split(separator: ":").map { UInt32($0, radix: 16) }
        guard numbers.count == 3, numbers[0] == 3, let vendor = numbers[1].flatMap(UInt16.init(exactly:)),
            let product = numbers[2].flatMap(UInt16.init(exactly:))
        else { return nil }
        return USBIdentity(vendor: vendor, product: product)
    }
}
