import Foundation
import Testing

/// Outputs that take nothing, and limits of the system: each has its own sentence and code, and harms no store.
@Suite struct `What the system refuses` {
    private static func program() throws -> Program {
        let program = try Program()
        #expect(try program.run("qso", "add", "W1AW", "BAND=20m", "MODE=CW").status == 0)
        return program
    }

    private static func count(_ program: Program) throws -> Int? { try program.json("qso", "count")["total"] as? Int }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func `a verb whose output has no room ends with 74 and says so`() throws {
        let program = try Self.program()
        for verb in [
            "qso list", "qso list --json", "qso list --ndjson", "qso show last", "history", "history --ndjson", "info",
            "verify",
            "export", "export --format csv", "settings export", "head show", "prove last", "stats", "replicas",
            "watch --since 0 --count 1", "recover status", "--help", "--version",
        ] {
            let outcome = try program.script("\"$GROUNDWAVE\" \(verb) > /dev/full")
            #expect(outcome.status == 74, "\(verb): \(outcome)")
            #expect(outcome.errors.contains("No space left on device"), "\(verb): \(outcome)")
        }
    }

    @Test func `a verb behind which nobody reads any more ends with 74 and without a word`() throws {
        let program = try Self.program()
        for verb in ["qso list", "history --ndjson", "export", "watch --since 0"] {
            let outcome = try program.script(
                "set -o pipefail; { sleep 0.2; \"$GROUNDWAVE\" \(verb); } | true")
            #expect(outcome.status == 74 && outcome.errors.isEmpty, "\(verb): \(outcome)")
        }
        #expect(try program.script("\"$GROUNDWAVE\" qso list | head -1").status == 0)
    }

    @Test func `nothing is written into the store where standard streams were closed`() throws {
        let program = try Self.program()
        #expect(try program.script("\"$GROUNDWAVE\" qso list >&-").status == 74)
        #expect(try program.script("\"$GROUNDWAVE\" qso add N0CALL BAND=20m MODE=CW <&- >&- 2>&-").status == 74)
        #expect(try program.script("\"$GROUNDWAVE\" qso show nobody <&- >&- 2>&-").status == 66)
        #expect(try Self.count(program) == 2)
        #expect(try program.run("verify", "--deep").status == 0)
    }

    @Test func `too few open files are told as that, and nothing is lost`() throws {
        let program = try Self.program()
        var sentences = 0
        // With fewer, the run time of Swift does not get as far as the program.
        for limit in 9...20 {
            let outcome = try program.script(
                "ulimit -n \(limit); exec \"$GROUNDWAVE\" qso list")
            #expect([0, 75].contains(outcome.status), "\(limit): \(outcome)")
            if outcome.errors.contains("cannot open more files") { sentences += 1 }
        }
        #expect(sentences > 0)
        #expect(try Self.count(program) == 1)
    }

    @Test func `a file that may not grow is told as that, and what was saved before is safe`() throws {
        let program = try Self.program()
        let note = String(repeating: "x", count: 20_000)
        for limit in [1, 8, 20, 40] {
            let outcome = try program.script(
                "ulimit -f \(limit); exec \"$GROUNDWAVE\" qso add N0CALL BAND=20m MODE=CW --note \(note)")
            #expect(
                outcome.status == 74 && outcome.errors.contains("has reached its maximum size"), "\(limit): \(outcome)")
        }
        #expect(try Self.count(program) == 1)
        #expect(try program.run("verify").status == 0)
    }

    #if os(Linux)
    @Test func `too little memory is told as that, and nothing is lost`() throws {
        let program = try Self.program()
        var sentences = 0
        for megabytes in [400, 800, 1200, 1600] {
            let outcome = try program.script(
                "ulimit -v \(megabytes * 1024); exec \"$GROUNDWAVE\" qso list")
            #expect([0, 75].contains(outcome.status), "\(megabytes): \(outcome)")
            if outcome.errors.contains("not enough memory") { sentences += 1 }
        }
        #expect(sentences > 0)
        #expect(try Self.count(program) == 1)
    }
    #endif

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/script")))
    func `a file that is written to a terminal has no control characters there, and all of them in a pipe`() throws {
        let program = try Program()
        let log = "<EOH><CALL:4>W1AW<QSO_DATE:8>20260501<TIME_ON:4>1200<BAND:3>20m<MODE:2>CW<COMMENT:6>a\u{1B}[2Jb<EOR>"
        #expect(try program.run(["import", "-"], input: log).status == 0)
        #expect(try program.script("\"$GROUNDWAVE\" export").output.contains("a\u{1B}[2Jb"))
        let shown = try program.script("script -qec '\"$GROUNDWAVE\" export' /dev/null < /dev/null").output
        #expect(shown.contains("a␛[2Jb") && !shown.contains("\u{1B}[2J"), "\(shown.debugDescription)")
    }

    @Test func `a path that cannot be that of a store or a file has its own sentence`() throws {
        let program = try Self.program()
        let folder = program.folder.path
        let loop = folder + "/loop"
        try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
        let long = String(repeating: "x", count: 300)
        for (arguments, code, words) in [
            (["export", "-o", folder + "/none/x.adi"], 66, "no such file or folder"),
            (["export", "-o", folder + "/" + long], 64, "too long"),
            (["export", "-o", "/dev/null/x.adi"], 66, "a part of the path"),
            (["init", "--store", folder + "/" + long], 64, "too long"),
            (["init", "--store", "/dev/null/x"], 66, "a part of the path"),
            (["init", "--store", loop], 66, "circle"),
        ] as [([String], Int32, String)] {
            let outcome = try program.run(arguments)
            #expect(outcome.status == code && outcome.errors.contains(words), "\(arguments): \(outcome)")
        }
    }
}

#if os(Linux)
extension `What the system refuses` {
    /// Whether this process may mount: only root may.
    private static let canMount = getuid() == 0

    @Test(.enabled(if: canMount))
    func `a damaged store that can only be read says that it is damaged, and how to get a store elsewhere`() throws {
        let program = try Program()
        #expect(try program.run("qso", "add", "W1AW", "BAND=20m", "MODE=CW").status == 0)
        let rescued = program.folder.appending(path: "rescued").path
        let outcome = try program.script(
            """
            exec unshare -m bash -c '
            set -e
            dd if=/dev/zero of="$GROUNDWAVE_STORE/log.mdb" bs=4096 seek=0 count=2 conv=notrunc 2>/dev/null
            mount --bind "$GROUNDWAVE_STORE" "$GROUNDWAVE_STORE"
            mount -o remount,ro,bind "$GROUNDWAVE_STORE"
            set +e
            "$GROUNDWAVE" qso list; echo "list $?"
            "$GROUNDWAVE" salvage "$GROUNDWAVE_STORE/log.mdb" --to "\(rescued)"; echo "salvage $?"'
            """)
        #expect(outcome.output.contains("list 65"), "\(outcome)")
        #expect(
            outcome.errors.contains("is damaged") && outcome.errors.contains("the disk is read-only"), "\(outcome)")
        #expect(outcome.errors.contains("groundwave salvage") && !outcome.errors.contains("report it"), "\(outcome)")
        let kept = try program.run("qso", "count", "--json", "--store", rescued)
        #expect(kept.json["total"] as? Int == 1, "\(outcome) \(kept)")
    }
}
#endif
