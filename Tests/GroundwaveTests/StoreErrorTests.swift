import Everything
import Foundation
import Groundwave
import GroundwaveTesting
import Testing

@Suite struct `Errors of a store` {
    @Test func `of codes with one exit code are not caught as one another`() {
        func name(_ code: StoreError.Code) -> String {
            do { throw StoreError(code, "Made up.") } catch let error as StoreError where error.code == .expired {
                return "expired"
            } catch { return "another" }
        }
        #expect(name(.expired) == "expired")
        #expect(name(.notFound) == "another" && name(.archived) == "another")
        #expect(StoreError.Code.notFound.exitCode == StoreError.Code.expired.exitCode)
        #expect(StoreError.Code.syncOff != .recovering && StoreError.Code.syncOff.exitCode == 78)
    }

    @Test func `say on a screen what happened and what helps`() {
        let error: any Error = StoreError(
            .notFound, "There is no such contact.", hint: "List them.", cause: CocoaError(.fileNoSuchFile))
        #expect(error.localizedDescription == "There is no such contact.")
        #expect((error as NSError).localizedRecoverySuggestion == "List them.")
    }

    private struct OwnError: Error {}

    @Test func `that a closure throws come out of a preview as they are`() async throws {
        let temporary = try await TemporaryStore(.full())
        await #expect(throws: OwnError.self) { try await temporary.store.preview { _ in throw OwnError() } }
        await #expect(throws: OwnError.self) { try await temporary.store.write { _ in throw OwnError() } }
    }

    @Test func `pass the error of a closure that is called for each event or difference`() async throws {
        struct Refusal: Error {}
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let before = try store.currentToken()
        try await store.write { _ = try $0.add("qso", [Assignment("CALL", text: "W1AW")]) }
        let past = try await store.at(.position(before.position))
        #expect(throws: Refusal.self) { try store.forEachHistoryEntry(HistoryQuery()) { _ in throw Refusal() } }
        #expect(throws: Refusal.self) { try store.forEachDifference(from: past, to: store) { _ in throw Refusal() } }
    }
}
