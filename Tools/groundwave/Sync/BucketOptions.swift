import ArgumentParser
import Foundation
import Groundwave

/// Where a bucket of an object store is, beside its address.
struct BucketOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The server of an s3:// address; default: AWS_ENDPOINT_URL_S3, else Amazon's.", valueName: "url"))
    var endpoint: String?
    @Option(
        help: ArgumentHelp("The region of an s3:// address; default: AWS_REGION, else us-east-1.", valueName: "region"))
    var region: String?
    @Flag(help: "Always name the bucket in the path, and never before the server's name.")
    var pathStyle = false

    /// The address that was typed, with these options.
    func address(_ text: String) throws -> RemoteAddress {
        try RemoteAddress(text).completed(
            endpoint: endpoint, region: region, isPathStyle: pathStyle,
            environment: ProcessInfo.processInfo.environment)
    }
}
