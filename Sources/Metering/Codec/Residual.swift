/// The prediction rule of a column. The difference between a value and its prediction is the residual.
enum Predictor: Equatable {
    /// Predicts the same value for all rows.
    case fixed
    /// Predicts the previous value (shift 0), or a moving average in which each new value has weight 1/2, 1/4, …
    /// 1/32.
    case mean(shift: Int)
    /// Extends the line through the two previous values.
    case line

    static let all: [Predictor] = [
        .fixed, .mean(shift: 0), .mean(shift: 1), .mean(shift: 2), .mean(shift: 3), .mean(shift: 4), .mean(shift: 5),
        .line,
    ]

    var code: UInt8 {
        switch self {
        case .fixed: 0
        case .mean(let shift): UInt8(1 + shift)
        case .line: 7
        }
    }

    init?(code: UInt8) {
        switch code {
        case 0: self = .fixed
        case 1...6: self = .mean(shift: Int(code) - 1)
        case 7: self = .line
        default: return nil
        }
    }
}

/// The state of a predictor. All arithmetic wraps, so any values have residuals.
protocol Prediction {
    /// The prediction for the next value.
    var next: Int64 { get }
    /// Updates the prediction with the actual value.
    mutating func update(_ value: Int64)
}

struct FixedPrediction: Prediction {
    let next: Int64

    init(_ start: Int64) { next = start }

    @inline(__always)
    mutating func update(_ value: Int64) {}
}

struct LastPrediction: Prediction {
    private(set) var next: Int64

    init(_ start: Int64) { next = start }

    @inline(__always)
    mutating func update(_ value: Int64) { next = value }
}

struct MeanPrediction: Prediction {
    private(set) var next: Int64
    /// The mean times 2 to the power of `shift`.
    private var sum: Int64
    private let shift: Int64
    private let half: Int64

    /// - Parameter shift: 1 to 5.
    init(_ start: Int64, shift: Int) {
        (next, self.shift) = (start, Int64(shift))
        sum = start << Int64(shift)
        half = 1 << Int64(shift - 1)
    }

    @inline(__always)
    mutating func update(_ value: Int64) {
        sum = sum &+ (value &- (sum &>> shift))
        next = (sum &+ half) &>> shift
    }
}

struct LinePrediction: Prediction {
    private(set) var next: Int64
    private var last: Int64

    init(_ start: Int64) { (next, last) = (start, start) }

    @inline(__always)
    mutating func update(_ value: Int64) {
        next = value &+ (value &- last)
        last = value
    }
}

/// Maps a signed number to an unsigned one: 0, -1, 1, -2 become 0, 1, 2, 3.
@inline(__always)
func zigzag(_ value: Int64) -> UInt64 { UInt64(bitPattern: (value << 1) ^ (value >> 63)) }

/// Undoes ``zigzag(_:)``.
@inline(__always)
func unzigzag(_ value: UInt64) -> Int64 { Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1) }

/// Returns the number of significant bits of `value`: 0 for 0, at most 64.
@inline(__always)
func bitLength(_ value: UInt64) -> Int { 64 &- value.leadingZeroBitCount }

/// Splits numbers into tokens of a small alphabet and extra bits. Each small number has its own token. For a larger
/// number, the token gives its length and the `mantissa` bits after its leading bit; the lower bits are the extra
/// bits.
struct Tokens {
    let mantissa: Int

    @inline(__always)
    func token(of value: UInt64) -> (token: Int, width: Int) {
        if value < 1 << UInt64(mantissa) { return (Int(value), 0) }
        let width = bitLength(value) &- 1 &- mantissa
        let top = Int(truncatingIfNeeded: value >> UInt64(width)) &- (1 << mantissa)
        return ((1 << mantissa) &+ (width << mantissa) &+ top, width)
    }

    /// Returns the value of `token` with zeros for its extra bits, and the number of these bits.
    @inline(__always)
    func value(of token: Int) -> (value: UInt64, width: Int) {
        if token < 1 << mantissa { return (UInt64(token), 0) }
        let place = token &- (1 << mantissa)
        let width = place >> mantissa
        let top = UInt64((1 << mantissa) | (place & ((1 << mantissa) &- 1)))
        return (top << UInt64(width), width)
    }
}
