/// One page of a listing (Amazon S3 API, ListObjectsV2).
struct S3Listing {
    /// The keys with the sizes of their objects, in the order of the answer.
    let objects: [(key: String, byteCount: Int)]
    /// The beginnings that keys with a further `/` have in common.
    let folders: [String]
    /// What to ask the next page with; `nil` if there is none.
    let next: String?

    /// Reads an answer. Keys that are not encoded as announced are left out: no store has stored them.
    ///
    /// - Throws: ``S3Document/Refusal``.
    init(_ bytes: [UInt8]) throws(S3Document.Refusal) {
        let document = try S3Document(bytes)
        guard let isTruncated = document.first("ListBucketResult/IsTruncated") else {
            throw S3Document.Refusal(reason: "it is not a listing")
        }
        let isEncoded = document.first("ListBucketResult/EncodingType") == "url"
        func text(_ text: String) -> String? { isEncoded ? PercentEncoding.decoded(text) : text }
        let keys = document.all("ListBucketResult/Contents/Key")
        let sizes = document.all("ListBucketResult/Contents/Size")
        guard sizes.count == keys.count else { throw S3Document.Refusal(reason: "it has keys without a size") }
        objects = zip(keys, sizes).compactMap { key, size in
            guard let key = text(key), let count = Int(size), count >= 0 else { return nil }
            return (key, count)
        }
        folders = document.all("ListBucketResult/CommonPrefixes/Prefix").compactMap(text)
        next = isTruncated == "true" ? document.first("ListBucketResult/NextContinuationToken") : nil
        guard isTruncated != "true" || next?.isEmpty == false else {
            throw S3Document.Refusal(reason: "it is cut short and does not say how to go on")
        }
    }
}
