import GroundwaveStore

extension RemoteAddress {
    /// The address with what a user has said beside it, and else what the environment says as for other programs of object
    /// stores: `AWS_ENDPOINT_URL_S3`, `AWS_REGION` and `AWS_DEFAULT_REGION`. An address that is no bucket stays as it is.
    ///
    /// What is found is part of the result, so that the remote is the same when the environment has changed.
    ///
    /// - Throws: ``StoreError`` with code `usage` if a part is invalid, or if `endpoint`, `region` or `isPathStyle` is given
    ///   for what is no bucket.
    public func completed(
        endpoint: String? = nil, region: String? = nil, isPathStyle: Bool = false, environment: [String: String]
    ) throws -> RemoteAddress {
        guard case .bucket(let bucket) = self else {
            guard endpoint == nil, region == nil, !isPathStyle else {
                throw StoreError(
                    .usage, "\(self) is no bucket of an object store, and has no endpoint, region or path style.",
                    hint: "A bucket is named as s3://bucket/prefix.")
            }
            return self
        }
        func value(_ names: String...) -> String? {
            names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        }
        return .bucket(
            try Bucket(
                name: bucket.name, prefix: bucket.prefix,
                endpoint: endpoint ?? bucket.endpoint ?? value("AWS_ENDPOINT_URL_S3"),
                region: region ?? bucket.region ?? value("AWS_REGION", "AWS_DEFAULT_REGION"),
                isPathStyle: isPathStyle || bucket.isPathStyle))
    }
}
