#if os(Linux)
import Foundation
import Testing

/// Walks over contacts use the same memory for each, which a library counts that is loaded before the C library.
@Suite struct `The memory of walks over contacts` {
    private static let counter = """
        #include <stdatomic.h>
        #include <stdio.h>
        #include <stdlib.h>
        extern void *__libc_malloc(size_t);
        static atomic_ulong count;
        void *malloc(size_t size) { count++; return __libc_malloc(size); }
        __attribute__((destructor)) static void tell(void) {
            FILE *file = fopen(getenv("ALLOCATIONS"), "w");
            if (file) { fprintf(file, "%lu", (unsigned long)count); fclose(file); }
        }
        """

    @Test(arguments: [["qso", "count"], ["export", "--format", "adi"], ["export", "--format", "csv"]])
    func `is allocated for the walk, and not for each contact`(words: [String]) throws {
        var counts: [Int] = []
        for contacts in [500, 3000] {
            let program = try Program()
            let library = program.folder.appending(path: "counter.so")
            try Self.counter.write(
                to: program.folder.appending(path: "counter.c"), atomically: false, encoding: .utf8)
            // The compiler of C that every toolchain of Swift has.
            let built = try program.script(
                """
                cd '\(program.folder.path)'
                "$(dirname "$(readlink -f "$(command -v swift)")")/clang" -shared -fPIC -o counter.so counter.c
                """)
            try #require(built.status == 0, "\(built.errors)")
            // Fields with and without a number.
            let log = (0..<contacts).map { number in
                let time = String(format: "%02d%02d%02d", number / 3600, number / 60 % 60, number % 60)
                return """
                    <CALL:6>N\(String(format: "%05d", number))<QSO_DATE:8>20260101<TIME_ON:6>\(time)<BAND:3>20m\
                    <MODE:2>CW<APP_SOME_LONG_NAME:4>text<COMMENT:20>a comment of 20 char<EOR>

                    """
            }
            let imported = try program.run(["import", "-"], input: log.joined())
            try #require(imported.status == 0, "\(imported.errors)")
            let told = program.folder.appending(path: "allocations")
            let done = try program.run(
                words, environment: ["LD_PRELOAD": library.path, "ALLOCATIONS": told.path])
            try #require(done.status == 0, "\(done.errors)")
            counts.append(try #require(Int(try String(contentsOf: told, encoding: .utf8))))
        }
        // Buffers that grow are allocated anew a few times.
        #expect(counts[1] - counts[0] < 100, "\(counts)")
    }
}
#endif
