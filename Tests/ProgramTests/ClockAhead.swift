#if os(Linux)
import Foundation
import Testing

/// A library that is loaded before the C library, and sets the clock of a program on by `AHEAD` seconds.
enum ClockAhead {
    private static let source = """
        #define _GNU_SOURCE
        #include <stdlib.h>
        #include <sys/syscall.h>
        #include <time.h>
        #include <unistd.h>
        int clock_gettime(clockid_t clock, struct timespec *time) {
            long result = syscall(SYS_clock_gettime, clock, time);
            const char *ahead = getenv("AHEAD");
            if (result == 0 && clock == CLOCK_REALTIME && ahead) time->tv_sec += atoll(ahead);
            return (int)result;
        }
        """

    /// Compiles the library in the folder of `program`, by the compiler of C that every toolchain of Swift has.
    static func library(for program: Program) throws -> URL {
        let library = program.folder.appending(path: "clock.so")
        try source.write(to: program.folder.appending(path: "clock.c"), atomically: false, encoding: .utf8)
        let built = try program.script(
            """
            cd '\(program.folder.path)'
            "$(dirname "$(readlink -f "$(command -v swift)")")/clang" -shared -fPIC -o clock.so clock.c
            """)
        try #require(built.status == 0, "\(built.errors)")
        return library
    }

    /// The environment of a program whose clock is so many seconds ahead.
    static func environment(_ library: URL, seconds: Int) -> [String: String] {
        ["LD_PRELOAD": library.path, "AHEAD": "\(seconds)"]
    }
}
#endif
