import Foundation
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveMeterProtocols
import GroundwaveMetering
import GroundwaveRecords
import GroundwaveStore

extension Store {
    /// Begins a trace of the meter with the address `meter`, and creates the meter's record if there is none.
    ///
    /// - Parameters:
    ///   - meter: The address of the meter.
    ///   - model: Its model.
    ///   - link: The link to the meter; the first of ``MeterModel/links`` if `nil`.
    ///   - name: The name of the trace.
    ///   - source: Where the frames come from, in a few words: a device, a file.
    ///   - rate: The number of rows per second, to be stored with the trace, if the input has no times: rows without a
    ///     counter of the meter then follow one another at this rate.
    ///   - isKeepingCapture: Whether the line traffic is kept beside the rows, for ``decode(_:name:author:)``.
    ///   - isExclusive: Whether this is the only recording of the meter on this device that is exclusive. The lease
    ///     tells devices apart, and not the processes of one.
    ///   - conditions: The first row that meets one of these is the last one: see ``TraceRecorder/metCondition``.
    ///   - started: When recording began: milliseconds since 1970; now if `nil`.
    ///   - author: The author, if other than that of the store.
    /// - Throws: ``StoreError`` with code `notPermitted` if the store is read-only; `busy` if `isExclusive` and another
    ///   such recording of the meter runs, and nothing was begun; the code for the system error if
    ///   the disk cannot be written.
    public func record(
        meter: MACAddress, model: MeterModel, over link: MeterModel.Link? = nil, name: String = "", source: String = "",
        rate: Double? = nil, isKeepingCapture: Bool = false, isExclusive: Bool = false,
        until conditions: [StopCondition] = [],
        started: Int64? = nil, author: String? = nil
    ) async throws -> TraceRecorder {
        let link = link ?? model.links[0]
        var fields = [Assignment("LINK", text: link.rawValue)]
        if let rate { fields.append(Assignment("RATE", text: "\(rate)")) }
        return try await begin(
            meter, model, model.rowSource(over: link, rate: rate), fields, name: name, source: source,
            isKeepingCapture: isKeepingCapture, isExclusive: isExclusive, until: conditions, started: started,
            author: author)
    }

    /// Begins a trace of rows that were recorded elsewhere, which ``TraceRecorder/append(recorded:)`` takes.
    ///
    /// - Parameters:
    ///   - meter: The meter, whose record is created if there is none; `nil` if it has no address.
    ///   - model: Its model; `nil` for one that is not known here.
    ///   - name: The name of the trace.
    ///   - source: Where the rows come from, in a few words: a file.
    ///   - started: When recording began: milliseconds since 1970; now if `nil`.
    ///   - author: The author, if other than that of the store.
    /// - Throws: As ``record(meter:model:over:name:source:rate:isKeepingCapture:isExclusive:until:started:author:)``.
    public func importTrace(
        of meter: MACAddress? = nil, model: MeterModel? = nil, name: String = "", source: String = "",
        started: Int64? = nil, author: String? = nil
    ) async throws -> TraceRecorder {
        try await begin(
            meter, model, RowSource(.live), [], name: name, source: source, started: started, author: author)
    }

    private func begin(
        _ meter: MACAddress?, _ model: MeterModel?, _ rows: RowSource, _ fields: [Assignment], name: String,
        source: String, isKeepingCapture: Bool = false, isExclusive: Bool = false,
        until conditions: [StopCondition] = [], started: Int64?, author: String?
    ) async throws -> TraceRecorder {
        guard !isReadOnly else {
            throw StoreError(
                .notPermitted, "The store \(files.folder.path) is read-only.",
                hint: "Copy it to a folder that can be written.")
        }
        let meterLock = isExclusive ? try meter.map { try lock($0) } : nil
        let start = started ?? surroundings.now().wallMilliseconds
        var generator = surroundings.generator
        let id = RecordID.random(using: &generator)
        // Create the tail first: a trace without a tail and without an end would count as recorded on another device.
        let recorder = try TraceRecorder(
            self, trace: id, rows, isKeepingCapture: isKeepingCapture, until: conditions, meterLock: meterLock)
        try await write(note: "Recording", author: author) { batch in
            var fields = fields + [Assignment("STARTED", text: "\(start)")]
            if let meter {
                try batch.findOrMakeMeter(meter, model: model)
                fields.append(Assignment("METER", text: "\(meter)"))
            }
            if let model { fields.append(Assignment("MODEL", text: model.rawValue)) }
            if !name.isEmpty { fields.append(Assignment("NAME", text: name)) }
            if !source.isEmpty { fields.append(Assignment("SOURCE", text: source)) }
            try batch.set(Metering.trace.name, id, fields)
            if isKeepingCapture {
                try batch.set(
                    Metering.capture.name, Metering.captureID(id), [Assignment("TRACE", text: "\(id)")])
            }
        }
        return recorder
    }

    /// Returns the recordings of a meter that run on this device, in order of their start: those of inputs with times.
    ///
    /// - Throws: As ``read(_:)``.
    /// - Complexity: Reads every trace.
    public func recordings(of meter: MACAddress) throws -> [Trace] {
        try traces().filter {
            $0.meter == meter && $0.rate == nil && $0.end == nil && Tails.state(of: $0.id, in: self) == .recording
        }
    }

    private func lock(_ meter: MACAddress) throws -> TailLock {
        if let lock = try Tails.lock(of: meter, in: files) { return lock }
        // One that began just now may have no trace yet.
        let other = try recordings(of: meter).first.map { trace in
            ": trace \(trace.id.short)\(trace.source.isEmpty ? "" : " from \(trace.source)")"
        }
        throw StoreError(
            .busy, "The meter \(meter) is already being recorded on this device\(other ?? "").",
            hint: "End that recording first. If it is of another meter, check the address.")
    }

    /// Moves the tails of recordings whose process ended without finishing them into the log, and marks these traces as
    /// interrupted.
    ///
    /// Called when a store is opened for writing.
    ///
    /// - Returns: The traces.
    /// - Throws: ``StoreError``; then some tails may have been moved. The next call continues with the others.
    @discardableResult
    public func sealTails() async throws -> [RecordID] {
        var sealed: [RecordID] = []
        for path in Tails.all(in: files) {
            guard let lock = try TailLock(path) else { continue }
            if let (trace, content) = TailFile.read(path, log: log.id) {
                try await seal(content.captures, of: trace)
                try await seal(content.rows, of: trace)
                try Tails.remove(path)
                sealed.append(trace)
            }
            Tails.removeUnfinished(path)
            lock.remove()
        }
        return sealed
    }

    /// Runs ``sealTails()`` and ``mergeMeters()`` at open. If this fails, for example because the disk is full, the
    /// next open tries again; the tails can still be read from their files.
    func tidyMeters() async {
        if isReadOnly { return }
        do {
            try await sealTails()
            try await mergeMeters()
        } catch {
            Subsystem.store.logger.warning(
                "the latest recorded rows are not in the log yet",
                metadata: ["reason": "\(Subsystem.reason(of: error))"])
        }
    }

    /// Appends the captured bytes that the log does not have yet.
    private func seal(_ captures: [Capture], of trace: RecordID) async throws {
        let (kind, id) = (Metering.capture.name, Metering.captureID(trace))
        var next: UInt64 = 0
        try read { view in
            try view.forEachBlock(of: kind, id) { block, _ in
                next = max(next, block.first + block.count)
                return true
            }
        }
        // The tail is started again when a block is in the log. So each capture is in the log as a whole or not at all.
        for capture in captures where capture.first >= next {
            let block = capture.block
            try await write(note: "Recorded before the process ended") { batch in
                try batch.append(Change(kind: kind, record: id, block: block))
            }
        }
    }

    /// Appends the rows that the log does not have yet, and ends the trace as interrupted.
    private func seal(_ rows: [TraceRows], of trace: RecordID) async throws {
        let kind = Metering.trace.name
        var (next, before) = (UInt64(0), RowBefore?.none)
        try read { view in
            try view.forEachBlock(of: kind, trace) { block, bytes in
                if block.first + block.count > next {
                    next = block.first + block.count
                    before = (try? BlockSummary(bytes))?.lastRow
                }
                return true
            }
        }
        for var run in rows {
            if run.first < next {
                guard next < run.first + UInt64(run.count) else { continue }
                run = run.split(at: Int(next - run.first)).1
            }
            if run.first > next { before = nil }
            next = run.first + UInt64(run.count)
            while run.count > 0 {
                let head = run.split(at: min(run.count, SampleBlock.rowLimit)).0
                let sealed = SealedBlock.filling(pagesWith: head, after: before, isLast: head.count == run.count)
                let block = sealed.block.block
                try await write(note: "Recorded before the process ended") { batch in
                    try batch.append(Change(kind: kind, record: trace, block: block))
                }
                let (done, rest) = run.split(at: sealed.count)
                (before, run) = (done.lastRow, rest)
            }
        }
        let end = before?.time ?? Int64(surroundings.now().wallMilliseconds)
        try await write(note: "The recording was interrupted") { batch in
            // If there is no record, the process ended before the trace was created.
            guard let record = try batch.record(kind, trace), Trace(record).end == nil else { return }
            try batch.endTrace(trace, at: end, .interrupted)
        }
    }
}

extension MeterModel {
    /// Returns what is known of the rows that the meter sends over `link`; they have no times of their own if `rate`
    /// gives the rows per second.
    func rowSource(over link: Link, rate: Double?) -> RowSource {
        let spacing: Int64? =
            switch self {
            // A report has the samples of 40 ms.
            case .fnb48, .fnb48s, .c1, .fnb58: link == .usb ? 10 : nil
            default: nil
            }
        let timing = rate.flatMap { $0 > 0 ? RowTiming.paced(perSecond: $0) : nil } ?? .live
        return RowSource(
            timing, spacingMilliseconds: spacing,
            requestMilliseconds: conversation(over: link).poll.map { Int64($0.intervalMilliseconds) })
    }
}

extension WriteBatch {
    /// Creates the record of a meter, unless there is one that is not deleted.
    mutating func findOrMakeMeter(_ address: MACAddress, model: MeterModel?) throws {
        let (kind, id) = (Metering.meter.name, Metering.meterID(address))
        if let known = try record(kind, id), known.isVisible { return }
        let model = model.map { [Assignment("MODEL", text: $0.rawValue)] } ?? []
        try set(kind, id, [Assignment("MAC", text: "\(address)")] + model)
    }
}
