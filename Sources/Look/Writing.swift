import GroundwaveAuditing
import GroundwaveEvents
import GroundwaveLogbook
import GroundwaveMetering
import GroundwaveMeters
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveStore
import GroundwaveWording

/// What pages may write, where they may: each is shown before it is done, and is an event in the log like any other.
enum Writing {
    /// Shows what would be written.
    static func preview(_ visit: Visit, _ action: String) throws -> PageResponse {
        guard visit.mayWrite else { throw notPermitted }
        let change = try Change(action, visit.address, visit.store)
        let (sentence, details) = try change.preview(visit)
        let ask: HTML =
            change.asksForText
            ? HistoryPage.text("Mark", "text", visit.address, "charger unplugged") : ""
        let content: HTML = """
            <p>\(sentence)</p>
            \(details)
            <form class="filter" method="post" action="/write/\(action)">
            \(change.shown)\(TimelineSection.hidden(visit.address, except: Visit.kept + ["text", "note", "event"]))\(ask)\
            <label>Note <input name="note" value="" maxlength="500" placeholder="why" autocomplete="off"></label>
            <button>\(change.button)</button> <a href="\(change.page)">Do nothing</a>
            </form>
            <p class="none">It becomes an event in the log, which can be undone.</p>
            """
        return PageFrame.page(change.title, content, visit)
    }

    /// Writes, and shows the page about what was changed.
    static func perform(_ visit: Visit, _ action: String, _ form: Address) async throws -> PageResponse {
        guard visit.mayWrite else { throw notPermitted }
        guard action != "undo" || form.value("event") != nil else {
            throw Refusal(400, "Look first at what would be undone.")
        }
        let change = try Change(action, form, visit.store)
        try await change.perform(visit.store, note: form.value("note").map { String($0.prefix(500)) })
        return PageResponse(redirect: change.page)
    }

    private static let notPermitted = Refusal(
        403, "This page writes nothing: end groundwave look, and start it with --write.")

    /// A link to what would be written; nothing where pages may not.
    static func link(_ text: HTML, _ visit: Visit, _ action: String, _ parameters: [(name: String, value: String)])
        -> HTML
    {
        guard visit.mayWrite, visit.moment.isPresent else { return "" }
        return "<a class=\"write\" href=\"\(Address(path: ["write", action], parameters: parameters))\">\(text)</a>"
    }

    /// The link that chooses a candidate of a conflict.
    static func choice(_ candidate: Conflict.Candidate, of conflict: Conflict, _ visit: Visit) -> HTML {
        link(
            "Choose this", visit, "choose",
            [
                ("kind", conflict.kind), ("record", "\(conflict.record)"), ("field", conflict.field),
                ("event", "\(candidate.head.event)"), ("index", "\(candidate.head.index)"),
            ])
    }

    /// A change that a page can make.
    private enum Change {
        case choose(Conflict, Conflict.Candidate)
        case undo(UndoStep)
        case revert(EventID, EventSet)
        case restore(kind: String, RecordID)
        case mark(Trace, time: Int64, text: String)

        /// Reads what an address or a form asks for.
        init(_ action: String, _ words: Address, _ store: Store) throws {
            func record(_ kind: String) throws -> Record {
                guard let id = words.value("record").flatMap({ RecordID(text: $0) }),
                    let record = try store.record(kind, id)
                else { throw Refusal(404, "There is no such record.") }
                return record
            }
            switch action {
            case "choose":
                let record = try record(words.value("kind") ?? QSOKind.name)
                let conflicts = try store.conflicts(in: record) + store.contradictions(in: record)
                for conflict in conflicts where conflict.field == words.value("field") {
                    for candidate in conflict.candidates
                    where words.value("event") == "\(candidate.head.event)"
                        && words.value("index") == "\(candidate.head.index)"
                    {
                        self = .choose(conflict, candidate)
                        return
                    }
                }
                throw Refusal(409, "The conflict is not there any more: somebody has chosen, or written since.")
            case "undo":
                guard let step = try store.undoableSteps(1).first else {
                    throw Refusal(404, "This device has nothing to undo.")
                }
                // What was shown must be what is undone, whatever was written since.
                if let shown = words.value("event"), shown != "\(step.batches[0].first)" {
                    throw Refusal(409, "Something was written since: look again at what would be undone.")
                }
                self = .undo(step)
            case "revert":
                let event = try store.event(named: words.value("event") ?? "")
                if words.value("whole") == "1", let batch = try store.describing({ try store.log.batch(of: event) }) {
                    let range = EventRange(event.replica, batch.lowerBound, through: batch.upperBound)
                    self = .revert(event, EventSet([range]))
                } else {
                    self = .revert(event, try store.events(standingFor: event))
                }
            case "restore":
                let record = try record(words.value("kind") ?? QSOKind.name)
                guard !record.isVisible, !record.isErased else { throw Refusal(409, "The record is not hidden.") }
                self = .restore(kind: record.kind, record.id)
            case "mark":
                let trace = Trace(try record(Metering.trace.name))
                guard let time = words.value("time").flatMap({ Int64($0) }) else {
                    throw Refusal(400, "A mark has a time.")
                }
                self = .mark(trace, time: time, text: words.value("text") ?? "")
            default: throw Refusal(404, "There is no such page.")
            }
        }

        var title: String {
            switch self {
            case .choose: "Choose a value"
            case .undo: "Undo the last change"
            case .revert: "Revert"
            case .restore: "Restore"
            case .mark: "Mark a moment"
            }
        }

        var button: String {
            switch self {
            case .choose: "Choose it"
            case .undo: "Undo it"
            case .revert: "Revert it"
            case .restore: "Restore it"
            case .mark: "Mark it"
            }
        }

        /// The event that was shown, so that no other one is meant once something else was written.
        var shown: HTML {
            switch self {
            case .choose(_, let candidate): "<input type=\"hidden\" name=\"event\" value=\"\(candidate.head.event)\">"
            case .undo(let step): "<input type=\"hidden\" name=\"event\" value=\"\(step.batches[0].first)\">"
            case .revert(let event, _): "<input type=\"hidden\" name=\"event\" value=\"\(event)\">"
            case .restore, .mark: ""
            }
        }

        var asksForText: Bool { if case .mark = self { true } else { false } }

        /// The page about what is changed.
        var page: Address {
            switch self {
            case .choose(let conflict, _): Visit.address(ofRecord: conflict.kind, conflict.record)
            case .undo: Address("history")
            case .revert(let event, _): Visit.address(ofBatch: event)
            case .restore(let kind, let id): Visit.address(ofRecord: kind, id)
            case .mark(let trace, let time, _):
                Address("trace", "\(trace.id)").with("from", time - 5000).with("to", time + 5000)
            }
        }

        /// What would be so afterwards, as a sentence, and record by record.
        func preview(_ visit: Visit) throws -> (HTML, HTML) {
            var names = RecordNames(visit.store)
            switch self {
            case .choose(let conflict, let candidate):
                let now = conflict.candidates.last { $0.isShown }.map { ConflictsPage.text($0, of: conflict) } ?? "–"
                return (
                    """
                    \(conflict.field) of \(try names.name(conflict.kind, conflict.record)) shows <b>\(now)</b>. \
                    It would show <b>\(ConflictsPage.text(candidate, of: conflict))</b>, on every device, and the conflict would be settled.
                    """, ""
                )
            case .undo(let step):
                let note: HTML = step.note.text.isEmpty ? "" : " (“\(step.note.text)”)"
                let events = EventSet(step.batches.map(\.range))
                return (
                    "This would undo \(Visit.count(step.changeCount, "change")) of \(Visit.time(step.stamp.milliseconds))\(note).",
                    try Self.table(of: visit.store.previewRevert(events), &names)
                )
            case .revert(_, let events):
                let count = Int(clamping: events.count)
                return (
                    "This would revert \(Visit.count(count, "event")). What was changed since is kept.",
                    try Self.table(of: visit.store.previewRevert(events), &names)
                )
            case .restore(let kind, let id):
                return ("\(try names.name(kind, id)) is hidden. It would show again, on every device.", "")
            case .mark(let trace, let time, _):
                return (
                    "\(trace.name.isEmpty ? trace.id.short : trace.name) gets a mark at \(TraceChart.clock(time)).", ""
                )
            }
        }

        private static func table(of reverted: Reverted, _ names: inout RecordNames) throws -> HTML {
            let limit = 100
            var table = PageTable("Records", ["Record", "What happens"])
            let left = Set(reverted.left)
            for record in reverted.changed.prefix(limit) {
                let words: HTML = left.contains(record) ? "a part goes back; what was changed since stays" : "goes back"
                table.append([HTML(try names.name(record.kind, record.record)), words])
            }
            for record in reverted.left.filter({ !reverted.changed.contains($0) }).prefix(limit) {
                table.append([HTML(try names.name(record.kind, record.record)), "stays: it was changed since"])
            }
            let more = reverted.changed.count - limit
            return table.html(none: "No record would change.")
                + (more > 0 ? "<p>And \(Visit.grouped(more)) more.</p>" : "")
        }

        func perform(_ store: Store, note: String?) async throws {
            switch self {
            case .choose(let conflict, let candidate): _ = try await store.choose(candidate, in: conflict, note: note)
            case .undo(let step): try await store.revert(step, note: note)
            case .revert(_, let events): try await store.revert(events, note: note)
            case .restore(let kind, let id):
                _ = try await store.write(note: note ?? "Restored") { batch in try batch.restore(kind, id) }
            case .mark(let trace, let time, let text):
                _ = try await store.mark(trace.id, at: time, text, note: note ?? "")
            }
        }
    }
}
