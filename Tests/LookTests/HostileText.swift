import GroundwaveSeededNumbers

/// Values that somebody has made to break out of a page.
enum HostileText {
    private static let pieces = [
        "<script>window.broken=1</script>", "\" onload=\"window.broken=1", "' onfocus='x' autofocus='",
        "</td></table><img src=x onerror=x>",
        "&lt;script&gt;", "&#60;b&#62;", "javascript:window.broken=1", "]]>", "<!--",
        "--></style><style>*{display:none}", "{{7*7}}", "${7*7}",
        "\u{202E}txt.exe", "\u{2066}", "\u{0}", "\u{7}", "\u{1B}[31m", "\u{85}", "\u{2028}", "\r\nSet-Cookie: a=b",
        "<svg/onload=x>", "%3Cscript%3E",
        "N0CALL", "ö", "日本", "👩‍🚀", "\\", "`", "=", "/../../etc/passwd", "+", "?at=", "#", "\t", "\n",
    ]

    /// One of them, made of a few pieces.
    static func one(_ numbers: inout SeededGenerator) -> String {
        (0..<Int.random(in: 1...4, using: &numbers)).map { _ in
            pieces[Int.random(in: 0..<pieces.count, using: &numbers)]
        }.joined()
    }
}
