// libzstd 1.4 or later: Debian's libzstd-dev, Homebrew's zstd.
#include <zstd.h>
