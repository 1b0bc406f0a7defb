import Groundwave

/// The questions that the service book answers, of a store or of its past.
extension Reading {
    /// Returns the services of a device, in order of day.
    func services(of device: String) throws -> [Saved<Service>] {
        try all(Service.byDevice, prefix: [.text(device)])
    }

    /// Returns what a device cost, in cents, by month.
    func costs(of device: String) throws -> [String: Int64] {
        try read { view in
            var costs: [String: Int64] = [:]
            try view.forEachSums(of: Costs.self, prefix: [.text(device)]) { key, sums in
                if case .text(let month)? = key.values.last { costs[month] = sums.first ?? 0 }
                return true
            }
            return costs
        }
    }

    /// Returns the services whose notes have a word that begins with `text`.
    func search(_ text: String) throws -> Set<RecordID> {
        try read { view in
            var found: Set<RecordID> = []
            try view.forEachRow(of: Words.self, text: text.lowercased()) { _, id, _ in
                found.insert(id)
                return true
            }
            return found
        }
    }
}
