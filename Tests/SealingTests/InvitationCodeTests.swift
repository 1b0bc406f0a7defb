import Foundation
import GroundwaveEvents
import GroundwaveSealing
import GroundwaveSeededNumbers
import Testing

@Suite struct `The code of an invitation` {
    private func code(seed: UInt64) -> InvitationCode {
        var numbers = SeededGenerator(seed: seed)
        return InvitationCode.random(using: &numbers)
    }

    @Test func `is read however somebody types it`() throws {
        for seed in 1...200 as ClosedRange<UInt64> {
            let code = code(seed: seed)
            #expect(code.text.wholeMatch(of: /([0-9A-HJKMNP-TV-Z]{4}-){4}[0-9A-HJKMNP-TV-Z]{4}/) != nil)
            let typed = code.text.lowercased().replacing("-", with: " ").replacing("0", with: "o").replacing(
                "1", with: "l")
            let read = try InvitationCode(reading: typed)
            #expect(read.text == code.text && read.identity.replica == code.identity.replica)
            #expect(read.recipient.publicKey == code.recipient.publicKey)
        }
    }

    @Test func `is refused if a letter is wrong, missing or in another place`() throws {
        let text = code(seed: 1).text
        var wrong: [String] = ["", "not a code", String(text.dropLast()), text + "0", "ÄÖÜ"]
        for index in text.indices where text[index] != "-" {
            for letter in "0123456789ABCDEFGHJKMNPQRSTVWXYZ" where letter != text[index] {
                wrong.append(text[..<index] + "\(letter)" + text[text.index(after: index)...])
            }
        }
        // One in 65,536 passes for a code.
        let passed = wrong.count { (try? InvitationCode(reading: $0)) != nil }
        #expect(wrong.count == 625 && passed == 0)
    }

    @Test func `has keys that have nothing to do with each other, or with those of another code`() {
        let (one, other) = (code(seed: 1), code(seed: 2))
        #expect(one.identity.publicKey != other.identity.publicKey)
        #expect(one.recipient.publicKey != other.recipient.publicKey)
        #expect(one.recipient.publicKey != RecipientKey(identity: one.identity).publicKey)
        #expect("\(one)" == "InvitationCode" && !String(reflecting: one).contains(one.text.prefix(4)))
    }
}
