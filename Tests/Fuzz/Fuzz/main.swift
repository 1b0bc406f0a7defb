import CFuzzer
import Foundation

// fuzz TARGET ARGUMENT…       runs libFuzzer with these arguments: see Tools/fuzz
// fuzz --targets              the targets, and the most bytes of an input of each
// fuzz --seeds FOLDER         writes the first inputs of every target below FOLDER: see Fixtures/fuzz/README.md
//
// libFuzzer starts itself again by its own name when it makes a crash smaller, so the target's name is that of the program
// where a link has it.

let words = CommandLine.arguments
let program = words.first.map { URL(filePath: $0).lastPathComponent } ?? ""
switch words.dropFirst().first {
case "--targets":
    for target in Target.all { print(target.name, target.byteLimit) }
case "--seeds" where words.count == 3:
    try Seeds(in: URL(filePath: words[2])).write()
default:
    guard let target = Target.all.first(where: { $0.name == program }) else {
        print("There is no target called \(program): call it through Tools/fuzz.")
        exit(64)
    }
    Target.running = target
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    exit(
        LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
            Target.running.run([UInt8](UnsafeBufferPointer(start: bytes, count: count)))
            return 0
        })
}
