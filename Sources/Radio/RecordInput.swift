import ADIF
import Records

extension Radio {
    /// Normalises `assignments` that a user made to a record of `schema`, so that equal values have equal texts:
    /// calls and parks in upper case, dates as eight digits.
    ///
    /// - Throws: ``EntryProblem`` if a field is given twice, or a value is invalid.
    public static func checked(
        _ assignments: [Assignment], of schema: KindSchema
    ) throws(EntryProblem) -> (assignments: [Assignment], remarks: [String]) {
        var remarks: [String] = []
        var result: [Assignment] = []
        for assignment in assignments {
            if result.contains(where: { $0.name == assignment.name }) {
                throw EntryProblem("\(assignment.name) is given twice.")
            }
            guard let value = assignment.value, let name = meanings[schema.name]?[assignment.name] else {
                result.append(assignment)
                continue
            }
            var problem: EntryProblem?
            do {
                let text = String(decoding: value, as: UTF8.self)
                let checked = try FieldInput.normalised(text, for: name, remarks: &remarks)
                result.append(Assignment(assignment.name, text: checked))
            } catch {
                // The field's name differs from its ADIF name.
                problem = EntryProblem(
                    error.message.replacing(name.name, with: assignment.name),
                    hint: error.hint?.replacing(name.name, with: assignment.name))
            }
            if let problem { throw problem }
        }
        return (result, remarks)
    }

    /// The ADIF fields whose format applies to fields of other kinds.
    private static let meanings: [String: [String: FieldName]] = [
        activation.name: ["PARK": .myPOTARef, "DATE": .qsoDate, "WATTS": "TX_PWR"],
        spot.name: ["CALL": .call, "PARK": .potaRef, "SPOTTER": .call, "SPOTTER_GRID": .gridsquare],
        servicePresence.name: ["PARK": .potaRef],
        equipment.name: ["POWER": "TX_PWR", "GRID": .myGridsquare],
        friend.name: ["CALL": .call],
    ]
}
