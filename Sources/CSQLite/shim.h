// SQLite 3.40 or later: Debian's libsqlite3-dev, Homebrew's sqlite.
#include <sqlite3.h>

// Binds a copy of `bytes`. SQLITE_TRANSIENT is a cast of -1 to a function pointer, which Swift does not import.
static inline int groundwave_bind_text(sqlite3_stmt *statement, int index, const char *bytes, int count) {
    return sqlite3_bind_text(statement, index, bytes, count, SQLITE_TRANSIENT);
}

static inline int groundwave_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return count == 0 ? sqlite3_bind_zeroblob(statement, index, 0)
                      : sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}
