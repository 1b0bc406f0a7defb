/// A connection with another store, over whatever carries its bytes.
package protocol PeerConnection: Sendable {
    /// The status after the last work step.
    var standing: ConnectionStanding { get }

    /// Runs the replication protocol until the connection is closed. Cancelling the task ends it after the present work
    /// step. To be called once.
    ///
    /// - Parameters:
    ///   - endsWhenDone: Whether to close once neither side has anything left to send; otherwise the connection
    ///     continues until one side closes it.
    ///   - report: Called after each work step, in order, on the connection's queue. It must return quickly.
    ///   - makeRunner: Makes the session of this side; called once, on the connection's queue.
    /// - Returns: The final status.
    /// - Throws: ``ConnectionError``, or the error of reading or writing the log. Ranges received before that are in
    ///   the log, and in ``standing``.
    func run<Log: ReplicatedLog & Sendable>(
        endsWhenDone: Bool, report: @escaping @Sendable (ConnectionStanding) -> Void,
        _ makeRunner: @escaping @Sendable () throws -> SessionRunner<Log>
    ) async throws -> ConnectionStanding

    /// Handles a possible change of the log: sends events that are new to the peer.
    func logChanged()

    /// Closes the connection with a close message, after the present work step.
    ///
    /// - Parameter reason: A sentence for people; empty if there was no error.
    func stop(reason: String)
}
