import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveStore
import GroundwaveWording

/// What one page is made from: the address, the store, and the moment that it is looked at.
struct Visit: Sendable {
    /// The address of the page.
    let address: Address
    /// The store, or what was recovered of it for now.
    let store: Store
    /// The recovery that waits for a decision; `nil` for a whole store.
    let recovery: Recovery?
    /// The folder that was asked for: that of the damaged store, while ``store`` is what was recovered of it.
    let recoveredFolder: URL
    /// The moment that is looked at.
    let moment: Moment
    /// How the log was when the page was made: the page tells by it whether anything has changed since.
    let news: LiveFeed.News
    /// The timeline; `nil` if there are no events.
    let timeline: Timeline?
    /// The current time in seconds since 1970.
    let now: Int64
    /// Whether pages may write.
    let mayWrite: Bool

    /// What is read: the state of the moment.
    var reading: any Reading { moment.reading }

    /// What every link takes along: the moment, and what the timeline shows.
    static let kept = ["at", "zoom", "by"]

    /// An address as a link from this page: at the same moment.
    func link(_ address: Address) -> Address { address.keeping(Self.kept, of: self.address) }

    /// A link with its text.
    func link(_ text: some CustomStringConvertible, _ address: Address) -> HTML {
        "<a href=\"\(link(address))\">\(text)</a>"
    }

    /// The page of a record.
    static func address(ofRecord kind: String, _ id: RecordID) -> Address { Address("record", kind, "\(id)") }

    /// The page of the batch that an event belongs to.
    static func address(ofBatch event: EventID) -> Address {
        Address("batch", "\(event.replica)", "\(event.sequence)")
    }

    /// A time, with its machine-readable form.
    static func time(_ milliseconds: Int64) -> HTML {
        "<time datetime=\"\(UTCText.milliseconds(milliseconds))\">\(TimeText.milliseconds(milliseconds))</time>"
    }

    /// A count with its noun, its thousands apart.
    static func count(_ count: some BinaryInteger, _ word: String, _ plural: String? = nil) -> String {
        "\(grouped(count)) \(count == 1 ? word : plural ?? word + "s")"
    }

    /// A number with its thousands apart, as in ISO 80000-1 7.3.1.
    static func grouped(_ number: some BinaryInteger) -> String {
        let digits = Array("\(number.magnitude)")
        guard digits.count > 4 else { return "\(number)" }
        var text = number < 0 ? "−" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += "\u{202F}" }
            text.append(digit)
        }
        return text
    }
}
