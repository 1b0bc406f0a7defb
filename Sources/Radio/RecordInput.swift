import GroundwaveADIF
import GroundwaveRecords

extension Radio {
    /// `assignments` to a record of `schema` as a person says them, brought into the form that makes equal things equal:
    /// calls and parks in upper case, dates in eight digits.
    ///
    /// - Throws: ``EntryProblem`` where a value cannot be meant.
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
                // The field has another name here than in ADIF.
                problem = EntryProblem(
                    error.message.replacing(name.name, with: assignment.name),
                    hint: error.hint?.replacing(name.name, with: assignment.name))
            }
            if let problem { throw problem }
        }
        return (result, remarks)
    }

    /// The ADIF fields whose values fields of other kinds have.
    private static let meanings: [String: [String: FieldName]] = [
        activation.name: ["PARK": .myPOTARef, "DATE": .qsoDate, "WATTS": "TX_PWR"],
        spot.name: ["CALL": .call, "PARK": .potaRef, "SPOTTER": .call, "SPOTTER_GRID": .gridsquare],
        servicePresence.name: ["PARK": .potaRef],
        equipment.name: ["POWER": "TX_PWR", "GRID": .myGridsquare],
        friend.name: ["CALL": .call],
    ]
}
