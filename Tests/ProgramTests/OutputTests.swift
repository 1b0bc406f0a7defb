import Foundation
import Testing

@Suite struct `What is told about the work` {
    /// A contact whose every part can be found again in whatever is printed.
    private static let secrets = ["N0SECRET", "FN31pr", "hush-hush", "N0HIDDEN"]

    private func importing(_ program: Program, _ options: String..., environment: [String: String] = [:]) throws
        -> Program.Outcome
    {
        func field(_ name: String, _ value: String) -> String { "<\(name):\(value.utf8.count)>\(value)" }
        let record =
            field("CALL", "N0SECRET") + field("QSO_DATE", "20260501") + field("TIME_ON", "1200")
            + field("BAND", "20m") + field("MODE", "CW") + field("GRIDSQUARE", "FN31pr")
            + field("COMMENT", "hush-hush") + "<EOR>"
        let path = program.folder.appending(path: "N0HIDDEN@US-0001.adi")
        try Data("<EOH>\(record)".utf8).write(to: path)
        return try program.run(["import", path.path, "--note", "hush-hush"] + options, environment: environment)
    }

    @Test func `is nothing unless asked for`() throws {
        #expect(try importing(Program()).errors == "")
    }

    @Test(arguments: ["-v", "GROUNDWAVE_LOG=debug", "GROUNDWAVE_LOG=writer=debug,import=debug,store=debug,views=debug"])
    func `has no call, grid or note below debug level`(how: String) throws {
        let program = try Program()
        let told =
            how == "-v"
            ? try importing(program, "-v")
            : try importing(program, environment: ["GROUNDWAVE_LOG": String(how.dropFirst("GROUNDWAVE_LOG=".count))])
        #expect(told.status == 0)
        #expect(told.errors.contains("import: done (imported=1, records=1, rejected=0, updated=0)"), "\(told.errors)")
        #expect(told.errors.contains("store: opened"))
        for secret in Self.secrets { #expect(!told.errors.contains(secret), "\(told.errors)") }
    }

    @Test func `is more with two v, or for one subsystem alone`() throws {
        #expect(try importing(Program(), "-vv").errors.contains("writer: committed"))
        let one = try importing(Program(), environment: ["GROUNDWAVE_LOG": "writer=trace"]).errors
        #expect(one.contains("writer: committed"))
        #expect(!one.contains("store: opened"))
        let odd = try importing(Program(), environment: ["GROUNDWAVE_LOG": "walls=debug"])
        #expect(odd.status == 0)
        #expect(odd.errors.contains("“walls=debug” is not understood"))
        #expect(try importing(Program(), "-q", "-v").status == 64)
    }

    @Test func `says why views were built anew`() throws {
        let program = try Program()
        #expect(try importing(program).status == 0)
        try FileManager.default.removeItem(at: program.store.appending(path: "views.mdb"))
        let told = try program.run("qso", "add", "W1AW", "BAND=20m", "MODE=CW", "-v")
        #expect(told.errors.contains("views: rebuilt"), "\(told.errors)")
    }

    @Test func `has colours on a terminal, or where they are asked for`() throws {
        let program = try Program()
        let escape = "\u{1B}["
        #expect(try !program.run("verify").output.contains(escape))
        #expect(try program.run("verify", "--color", "always").output.contains("\(escape)32mAll is well:"))
        #expect(
            try program.run("qso", "show", "N0CALL", "--color", "always").errors.contains("\(escape)31mgroundwave:"))
        #expect(try !program.run("verify", "--color", "never").output.contains(escape))
        #expect(try program.run("verify", "--color", "green").status == 64)
    }
}
