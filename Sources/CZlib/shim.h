// zlib 1.2.9 or later: Debian's zlib1g-dev, Homebrew's zlib.
#include <zlib.h>
