import GroundwaveObserving
import GroundwaveRadio
import GroundwaveStore

extension ChangeFilter {
    /// Matches changes of contacts; if `fields` are named, only changes of these fields.
    ///
    /// A property that ADIF stores in several fields stands for all of them: `\.frequency` for `FREQ` and `BAND`.
    public static func contacts(_ fields: [PartialKeyPath<Contact>] = []) -> ChangeFilter {
        .kind(QSOKind.name, fields: Set(fields.flatMap { Contact.adifNames(of: $0) }))
    }
}
