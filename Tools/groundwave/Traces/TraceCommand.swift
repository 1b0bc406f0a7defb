import ArgumentParser
import Foundation
import Groundwave
import GroundwaveLogbook
import GroundwaveMeterProtocols
import GroundwaveMetering
import GroundwaveMeters
import GroundwaveRecords
import GroundwaveWording

struct TraceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace", abstract: "Traces: what USB power meters measure, recorded row by row.",
        discussion: """
            Specify a trace by its id, the first letters of the id, its name, or last.
            """,
        subcommands: [
            TraceRecord.self, TraceWatch.self, TraceList.self, TraceShow.self, TraceCompare.self, TraceVerify.self,
            TracePlot.self, TraceExport.self, TraceImport.self, TraceDecode.self, TraceSet.self, TraceRetain.self,
            TraceRemove.self,
            TraceRestore.self, TraceMark.self, TraceCalibrate.self,
        ])
}

/// Traces by the names that people give them.
enum TraceName {
    /// Returns the trace that `text` names, among those that show, or the hidden ones; a whole id names either.
    static func resolve(_ text: String, _ store: some Reading, hidden: Bool = false) throws -> Trace {
        let traces = try store.traces(hidden: hidden)
        if text == "last" {
            guard let last = traces.last else {
                throw StoreError(
                    .notFound, hidden ? "There are no hidden traces." : "There are no traces.",
                    hint: hidden ? nil : "To record one, see groundwave trace record --help")
            }
            return last
        }
        let named = traces.filter { !$0.name.isEmpty && $0.name.lowercased() == text.lowercased() }
        if named.count == 1 { return named[0] }
        if named.count > 1 {
            let records = try named.compactMap { try store.record(Metering.trace.name, $0.id) }
            throw AmbiguousName.error(text, records, kind: Metering.trace.name)
        }
        let id = try store.resolve(text, kind: Metering.trace.name, among: hidden ? .hidden : .all)
        if let found = traces.first(where: { $0.id == id }) { return found }
        if RecordID(text: text) != nil, let found = try store.traces(hidden: !hidden).first(where: { $0.id == id }) {
            return found
        }
        throw StoreError(
            .notFound, "There is no \(hidden ? "hidden " : "")trace \(text).",
            hint: "To see all: groundwave trace list\(hidden ? " --hidden" : "")")
    }
}

extension MeterModel: ExpressibleByArgument {}
extension MeterModel.Link: ExpressibleByArgument {}
