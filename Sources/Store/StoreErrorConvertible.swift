/// An error of a module below that says by itself how it reads as one of the store.
package protocol StoreErrorConvertible: Error {
    /// The error as the caller of the store gets it.
    var storeError: StoreError { get }
}
