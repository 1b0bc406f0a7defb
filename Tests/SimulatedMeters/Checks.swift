/// A cyclic redundancy check, computed as the division that it is, bit by bit: for frames, not for speed.
struct CyclicCheck {
    let width: Int
    let polynomial: UInt32
    var start: UInt32 = 0
    /// Whether bytes, and the result, are taken with their lowest bit first.
    var isReflected = false

    /// The check of a TC66C's parts.
    static let modbus = CyclicCheck(width: 16, polynomial: 0x8005, start: 0xFFFF, isReflected: true)
    /// The check whose low byte ends the frames that FNIRSI's meters send by Bluetooth.
    static let xmodem = CyclicCheck(width: 16, polynomial: 0x1021)
    /// The check of FNIRSI's USB reports, over all bytes before it.
    static let report = CyclicCheck(width: 8, polynomial: 0x39)

    func callAsFunction(_ bytes: some Sequence<UInt8>) -> UInt32 {
        let top = UInt32(1) << (width - 1)
        var rest = start
        for byte in bytes {
            for place in 0..<8 {
                let bit = byte >> (isReflected ? place : 7 - place) & 1
                let leaves = (rest & top != 0) != (bit == 1)
                rest = (rest << 1) & (top << 1 &- 1)
                if leaves { rest ^= polynomial }
            }
        }
        guard isReflected else { return rest }
        return (0..<width).reduce(0) { $0 | (rest >> $1 & 1) << (width - 1 - $1) }
    }
}
