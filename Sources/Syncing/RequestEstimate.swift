/// What a bucket of an object store is likely to cost in a month, by a list of prices and some assumptions.
///
/// Prices: Amazon S3 Standard, region us-east-1, as published in November 2026; other providers charge about the same or
/// less, and some nothing for requests. Data that is read from outside of the provider's network is charged as well, and not
/// counted here: a new device reads everything once.
public struct RequestEstimate: Hashable, Sendable {
    /// The requests in a month that read an object.
    public let reads: Int
    /// The requests in a month that store an object or list a folder.
    public let writes: Int
    /// The cost of requests and storage in a month, in millionths of a dollar.
    public let microdollars: Int

    /// The month of the prices, as ISO 8601 has it.
    public static let pricesOf = "2026-11"
    /// Millionths of a dollar for a million requests that read, for a million that store or list, and for 10⁹ bytes a month.
    static let prices = (reads: 400_000, writes: 5_000_000, gigabyte: 23_000)

    /// How long in a day something is pushed or pulled again and again, on the assumed devices.
    static let activeHours = 1
    /// The segments that an assumed device stores in a month. With each it writes its catalog.
    static let segments = 100
    static let days = 30
    /// How often a transport of a bucket lists the folders, at most.
    static let secondsBetweenListings = 30

    /// Estimates the cost of a remote, with each of its devices watching it all day (`sync --watch`).
    ///
    /// - Parameters:
    ///   - devices: The number of stores that push there.
    ///   - bytes: The size of what is there.
    init(devices: Int, bytes: Int) {
        let devices = min(max(1, devices), 10_000)
        // In a day: an hour in which something happens, an hour of waiting for more, and the rest.
        var (looks, listings, left) = (0, 0, 24 * 3_600)
        for (seconds, step) in zip([Self.activeHours * 3_600, 3_600, .max], PollingPace.steps) {
            let (span, interval) = (min(seconds, left), Int(step.interval / .seconds(1)))
            looks += span / interval
            listings += span / max(interval, Self.secondsBetweenListings)
            left -= span
        }
        // A look reads the mark of the log, and the catalog of each store.
        reads = devices * Self.days * looks * (1 + devices)
        // Once a day the folder of each store is listed, too.
        writes = devices * (Self.days * (listings + devices) + 2 * Self.segments)
        // In millionths of millionths, in parts that cannot overflow.
        let requests = (reads / 1_000 * Self.prices.reads + writes / 1_000 * Self.prices.writes) / 1_000
        microdollars = requests + bytes / 1_000_000 * Self.prices.gigabyte / 1_000
    }
}
