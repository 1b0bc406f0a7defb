/// The numbers by which a USB device tells its maker and its model.
package struct USBIdentity: Hashable, Sendable {
    /// The number of the maker.
    package let vendor: UInt16
    /// The number that the maker gave the model.
    package let product: UInt16

    /// Creates an identity of these numbers.
    package init(vendor: UInt16, product: UInt16) { (self.vendor, self.product) = (vendor, product) }

    /// Reads `2E3C:5558`: two numbers of one to four hexadecimal digits; `nil` if `text` is something else.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ (1...4).contains($0.count) && $0.allSatisfy(\.isHexDigit) }),
            let vendor = UInt16(parts[0], radix: 16), let product = UInt16(parts[1], radix: 16)
        else { return nil }
        self.init(vendor: vendor, product: product)
    }
}

extension USBIdentity: CustomStringConvertible {
    /// Both numbers with four hexadecimal digits: `2E3C:5558`.
    package var description: String {
        [vendor, product].map { number in
            let digits = String(number, radix: 16, uppercase: true)
            return String(repeating: "0", count: 4 - digits.count) + digits
        }.joined(separator: ":")
    }
}

extension MeterModel {
    /// The identities of the model as a USB HID; none if it is not one.
    ///
    /// FNIRSI's are those of baryluk/fnirsi-usb-power-data-logger. The KM003C and the KM002C are HIDs besides bulk and
    /// serial devices, and answer single readings over each of these (okhsunrog/km003c-protocol-research,
    /// `docs/usb_transport.md`).
    package var hidIdentities: [USBIdentity] {
        switch self {
        case .fnb48: [USBIdentity(vendor: 0x0483, product: 0x003A)]
        case .c1: [USBIdentity(vendor: 0x0483, product: 0x003B)]
        case .fnb48s: [USBIdentity(vendor: 0x2E3C, product: 0x0049)]
        case .fnb58: [USBIdentity(vendor: 0x2E3C, product: 0x5558)]
        case .km003c: [USBIdentity(vendor: 0x5FC9, product: 0x0063), USBIdentity(vendor: 0x5FC9, product: 0x0061)]
        case .um24c, .um25c, .um34c, .tc66c, .atorch: []
        }
    }
}
