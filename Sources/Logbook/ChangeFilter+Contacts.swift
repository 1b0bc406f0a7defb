import GroundwaveRadio
import GroundwaveStore

extension ChangeFilter {
    /// Changes of contacts, and of these fields of them where any are named.
    ///
    /// A field that ADIF has in several parts stands for all of them: `\.frequency` for `FREQ` and `BAND`.
    public static func contacts(_ fields: [PartialKeyPath<Contact>] = []) -> ChangeFilter {
        .kind(QSOKind.name, fields: Set(fields.flatMap { Contact.adifNames(of: $0) }))
    }
}
