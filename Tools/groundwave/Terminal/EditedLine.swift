/// A line that is being typed, and the lines before it, which the arrow keys bring back.
///
/// Pure: takes the bytes of a keyboard and says what came of them. Keys are those of every shell: arrows, Home and End,
/// Ctrl-A, E, B, F, K, U, W, backspace and delete.
struct EditedLine {
    /// What came of the bytes so far.
    enum Event: Equatable {
        /// The line was entered.
        case entered(String)
        /// Ctrl-D on an empty line: there are no more lines.
        case ended
    }

    /// The most characters of a line; more are not taken.
    static let limit = 2000

    /// The characters of the line.
    private(set) var characters: [Character] = []
    /// How many of them are before the cursor.
    private(set) var cursor = 0
    private var history: [String] = []
    /// Which line of the history is shown; its count for the one that is new.
    private var place = 0
    /// The new line, while one of the history is shown.
    private var draft: [Character] = []
    /// The first bytes of a character or of the code of a key.
    private var rest: [UInt8] = []

    /// The line as it is.
    var text: String { String(characters) }

    /// Takes a byte of the keyboard.
    mutating func take(_ byte: UInt8) -> Event? {
        rest.append(byte)
        if rest[0] == 0x1B {
            takeCode()
            return nil
        }
        if byte >= 0x80 || rest.count > 1 {
            takePart()
            return nil
        }
        rest.removeAll()
        switch byte {
        case 0x0A, 0x0D: return enter()
        case 0x04 where characters.isEmpty: return .ended
        default: edit(byte)
        }
        return nil
    }

    private mutating func enter() -> Event {
        let text = text
        if !text.isEmpty, history.last != text { history.append(text) }
        (characters, cursor, draft) = ([], 0, [])
        place = history.count
        return .entered(text)
    }

    private mutating func edit(_ byte: UInt8) {
        switch byte {
        case 0x01: cursor = 0
        case 0x02: cursor = max(0, cursor - 1)
        case 0x04: if cursor < characters.count { characters.remove(at: cursor) }
        case 0x05: cursor = characters.count
        case 0x06: cursor = min(characters.count, cursor + 1)
        case 0x08, 0x7F: erase(from: cursor - 1)
        case 0x0B: characters.removeSubrange(cursor...)
        case 0x0E: recall(place + 1)
        case 0x10: recall(place - 1)
        case 0x15: erase(from: 0)
        case 0x17:
            let blanks = characters[..<cursor].lastIndex { $0 != " " }.map { $0 + 1 } ?? 0
            erase(from: characters[..<blanks].lastIndex(of: " ").map { $0 + 1 } ?? 0)
        case 0x20...0x7E: insert(Character(UnicodeScalar(byte)))
        default: break
        }
    }

    private mutating func erase(from start: Int) {
        guard start >= 0, start < cursor else { return }
        characters.removeSubrange(start..<cursor)
        cursor = start
    }

    private mutating func insert(_ character: Character) {
        guard characters.count < Self.limit else { return }
        characters.insert(character, at: cursor)
        cursor += 1
    }

    /// Shows a line of the history, or the new one behind the last.
    private mutating func recall(_ wanted: Int) {
        guard (0...history.count).contains(wanted), wanted != place else { return }
        if place == history.count { draft = characters }
        place = wanted
        characters = wanted == history.count ? draft : Array(history[wanted])
        cursor = characters.count
    }

    /// Takes the code of a key, if it is complete (ECMA-48, CSI, and SS3 of keypads).
    private mutating func takeCode() {
        guard rest.count > 1 else { return }
        guard rest[1] == UInt8(ascii: "[") || rest[1] == UInt8(ascii: "O") else { return rest.removeAll() }
        guard rest.count > 2, let last = rest.last else { return }
        guard (0x40...0x7E).contains(last) else {
            if rest.count > 8 { rest.removeAll() }
            return
        }
        let number = rest[2]
        rest.removeAll()
        switch (last, number) {
        case (UInt8(ascii: "A"), _): recall(place - 1)
        case (UInt8(ascii: "B"), _): recall(place + 1)
        case (UInt8(ascii: "C"), _): cursor = min(characters.count, cursor + 1)
        case (UInt8(ascii: "D"), _): cursor = max(0, cursor - 1)
        case (UInt8(ascii: "H"), _), (UInt8(ascii: "~"), UInt8(ascii: "1")): cursor = 0
        case (UInt8(ascii: "F"), _), (UInt8(ascii: "~"), UInt8(ascii: "4")): cursor = characters.count
        case (UInt8(ascii: "~"), UInt8(ascii: "3")): if cursor < characters.count { characters.remove(at: cursor) }
        default: break
        }
    }

    /// Takes a character of several bytes, if it is complete.
    private mutating func takePart() {
        if let text = String(validating: rest, as: UTF8.self) {
            rest.removeAll()
            for character in text { insert(character) }
        } else if rest.count >= 4 {
            rest.removeAll()
        }
    }
}
