import ArgumentParser
import Foundation

/// How much a command prints, and in which colours.
struct OutputOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "On standard error, print only errors.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Show progress messages; use twice to show every commit.")
    var verbose: Int

    @Option(help: "Colours: auto, always or never; auto respects NO_COLOR.")
    var color = ColorChoice.auto

    func validate() throws {
        if quiet, verbose > 0 { throw ValidationError("-q and -v cannot be combined.") }
    }
}

/// When colours are used.
enum ColorChoice: String, CaseIterable, ExpressibleByArgument {
    case auto, always, never

    /// Whether colours are used on the stream with this descriptor.
    ///
    /// Source: no-color.org: any value of `NO_COLOR` but an empty one means none, unless the user asks for them.
    func isWanted(on descriptor: Int32) -> Bool {
        switch self {
        case .always: return true
        case .never: return false
        case .auto:
            let environment = ProcessInfo.processInfo.environment
            return isatty(descriptor) == 1 && environment["NO_COLOR", default: ""].isEmpty
                && environment["TERM"] != "dumb"
        }
    }
}
