// liblmdb 0.9.24 or later: Debian's liblmdb-dev, Homebrew's lmdb.
#include <lmdb.h>
