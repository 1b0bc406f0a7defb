import GroundwaveReplication

extension S3Transport: SizedListing {
    /// Returns the names of objects; see ``Transport``. Keys that are no names are left out.
    ///
    /// Servers differ in the order of a listing where one name begins like a folder (`a-1` beside `a/1`), so each folder is
    /// listed by itself, and put in order here. A folder without folders costs one request for each thousand names.
    public func list(
        prefix: ObjectPrefix, startAfter: ObjectName?, limit: Int
    ) async throws(TransportError) -> [ObjectName] {
        var names: [ObjectName] = []
        try await forEachObject(in: prefix, after: startAfter?.description ?? "", limit: limit) { name, _ in
            names.append(name)
        }
        return names
    }

    /// Returns the names of folders; see ``Transport``. A result is used for half a minute, unless something was stored or
    /// deleted through this transport: a listing costs twelve times what reading costs, and a store that keeps looking would
    /// make one each time.
    public func folders(prefix: ObjectPrefix, limit: Int) async throws(TransportError) -> [String] {
        guard limit > 0 else { return [] }
        let known = client.folders.value(of: prefix, milliseconds: client.monotonicMilliseconds)
        if let known { return Array(known.prefix(limit)) }
        let generation = client.folders.generation
        let names = try await listedFolders(prefix)
        client.folders.keep(names, of: prefix, milliseconds: client.monotonicMilliseconds, since: generation)
        return Array(names.prefix(limit))
    }

    private func listedFolders(_ prefix: ObjectPrefix) async throws(TransportError) -> [String] {
        var (names, token, pages) = ([String](), String?.none, 0)
        repeat {
            let page = try await page(of: prefix, after: nil, token: token, limit: Self.pageLimit)
            names += page.entries.compactMap { $0.isFolder ? $0.name : nil }
            (token, pages) = (page.next, pages + 1)
        } while token != nil && pages < Self.mostPages
        return names.sorted()
    }

    package func sizes(
        below prefix: ObjectPrefix
    ) async throws(TransportError) -> [(name: ObjectName, byteCount: Int)] {
        var found: [(name: ObjectName, byteCount: Int)] = []
        try await forEachObject(in: prefix, after: "", limit: .max) { found.append(($0, $1)) }
        return found
    }

    /// Calls `body` with the objects below a folder and their sizes, in byte order of their names.
    func forEachObject(
        in prefix: ObjectPrefix, after: String, limit: Int, _ body: (ObjectName, _ byteCount: Int) -> Void
    ) async throws(TransportError) {
        var rest = limit
        try await visit(prefix, after: after, &rest, body)
    }

    private static let pageLimit = 1_000
    /// A listing that goes on for ever is hostile.
    private static let mostPages = 10_000

    private func visit(
        _ prefix: ObjectPrefix, after: String, _ rest: inout Int, _ body: (ObjectName, _ byteCount: Int) -> Void
    ) async throws(TransportError) {
        let isInside = after.hasPrefix(prefix.description)
        guard rest > 0, isInside || after < prefix.description else { return }
        let mark = isInside ? ListingOrder.mark(before: after.dropFirst(prefix.description.count)) : nil
        var (held, token, pages) = ([ListingOrder.Entry](), String?.none, 0)
        repeat {
            let page = try await page(of: prefix, after: mark, token: token, limit: min(rest, Self.pageLimit - 2) + 2)
            (token, pages) = (page.next, pages + 1)
            held += page.entries
            let known = ListingOrder.takeKnown(from: &held, last: token == nil ? nil : page.last)
            for entry in known where rest > 0 {
                guard let name = ObjectName(prefix.description + entry.name) else { continue }
                if entry.isFolder {
                    guard let folder = ObjectPrefix(folder: name.description) else { continue }
                    try await visit(folder, after: after, &rest, body)
                } else if name.description > after {
                    body(name, entry.byteCount)
                    rest -= 1
                }
            }
        } while token != nil && rest > 0 && pages < Self.mostPages
    }

    /// One page of what is directly in a folder.
    fileprivate struct Page {
        var entries: [ListingOrder.Entry] = []
        /// The greatest name, whether anybody may have it or not.
        var last = ""
        var next: String?
    }

    private func page(
        of prefix: ObjectPrefix, after mark: String?, token: String?, limit: Int
    ) async throws(TransportError) -> Page {
        let start = client.endpoint.keyPrefix + prefix.description
        // A key may have characters that XML cannot, so they are asked for in their encoded form.
        var request = S3Request(method: "GET", limit: S3Document.byteLimit)
        request.query = [
            "list-type": "2", "delimiter": "/", "prefix": start, "max-keys": "\(limit)", "encoding-type": "url",
        ]
        if let token {
            request.query["continuation-token"] = token
        } else if let mark {
            request.query["start-after"] = start + mark
        }
        let answer: HTTPAnswer
        switch try await client.perform(request).result {
        case .success(let success): answer = success
        case .failure(.tooLarge): throw .unreachable("its listing is larger than 4 MiB")
        case .failure: throw .unreachable("it does not list the bucket \(client.bucket.name)")
        }
        do throws(S3Document.Refusal) {
            let listing = try S3Listing(answer.body)
            var page = Page(next: listing.next)
            guard listing.next != token || token == nil else {
                throw S3Document.Refusal(reason: "it begins again and again")
            }
            for (key, count) in listing.objects { page.add(key, isFolder: false, count, below: start) }
            for folder in listing.folders { page.add(String(folder.dropLast()), isFolder: true, 0, below: start) }
            return page
        } catch { throw .unreachable("its listing cannot be read: \(error.reason)") }
    }
}

extension S3Transport.Page {
    fileprivate mutating func add(_ key: String, isFolder: Bool, _ byteCount: Int, below start: String) {
        guard key.hasPrefix(start) else { return }
        let name = String(key.dropFirst(start.count))
        if name.utf8.lexicographicallyPrecedes(last.utf8) == false { last = name }
        guard !name.contains("/"), ObjectName(name) != nil else { return }
        entries.append(ListingOrder.Entry(name: name, isFolder: isFolder, byteCount: byteCount))
    }
}
