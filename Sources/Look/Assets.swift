/// The style, the script and the picture of this program's own: the only files that are served.
enum Assets {
    static func answer(_ address: Address) -> PageResponse? {
        switch address.path {
        case ["style.css"]: PageResponse(asset: PackageResources.style_css, type: "text/css; charset=utf-8")
        case ["script.js"]: PageResponse(asset: PackageResources.script_js, type: "text/javascript; charset=utf-8")
        case ["icon.svg"], ["favicon.ico"]: PageResponse(asset: PackageResources.icon_svg, type: "image/svg+xml")
        default: nil
        }
    }
}
