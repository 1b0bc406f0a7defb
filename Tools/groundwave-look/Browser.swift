import Foundation

/// The browser of whoever is at this computer.
enum Browser {
    /// Shows an address, if there is a browser.
    static func open(_ address: String) {
        let opener = Process()
        #if os(macOS)
        opener.executableURL = URL(filePath: "/usr/bin/open")
        #else
        opener.executableURL = URL(filePath: "/usr/bin/xdg-open")
        #endif
        opener.arguments = [address]
        (opener.standardOutput, opener.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        do { try opener.run() } catch {
            let words = "No browser can be opened from here: open the address yourself.\n"
            FileHandle.standardError.write(Data(words.utf8))
        }
    }
}
