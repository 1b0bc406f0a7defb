import GroundwaveRadio
import GroundwaveStore

extension EntryProblem: StoreErrorConvertible {
    /// The input is refused, with what helps.
    package var storeError: StoreError { StoreError(.usage, message, hint: hint.map { Hint($0) }, cause: self) }
}
