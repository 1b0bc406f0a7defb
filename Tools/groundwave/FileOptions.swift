import ArgumentParser

/// The options of a command that needs no store.
struct FileOptions: ParsableArguments {
    @Flag(help: "Print one JSON object: see Docs/JSON.md.")
    var json = false

    @OptionGroup var output: OutputOptions

    /// As that of ``StoreOptions``.
    func validate() {
        Terminal.manner.withLock {
            $0.isJSON = json
            $0.isQuiet = output.quiet
            $0.color = output.color
        }
        LogLines.start(output)
    }
}
