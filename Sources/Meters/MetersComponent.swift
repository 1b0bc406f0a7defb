import Foundation
import GroundwaveEvents
import GroundwaveMetering
import GroundwaveStore
import GroundwaveSyncing

extension StoreComponent {
    /// USB power meters: their traces, recordings, and which samples travel or are kept.
    public static let meters: StoreComponent = {
        var component = StoreComponent(name: "meters")
        component.kinds = Metering.allKinds
        component.maintenance = [
            // As often as snapshots are made, since each block is looked up.
            MaintenanceTask(name: "removal of old samples", moment: .beforeSnapshot) { store in
                try store.removeOldSamplesIfDue() != nil
            }
        ]
        component.didOpen = { store in await store.tidyMeters() }
        component.willClear = { store in try await store.sealTailsBeforeClearing() }
        component.isAutomatic = { change in
            if change.block != nil { return true }
            let ends = ["ENDED", "END", "STOPPED_BY"].map { Metering.trace.key(for: $0) }
            return change.kind == Metering.trace.name && change.operations.allSatisfy { ends.contains($0.field) }
        }
        component.isRoutine = { kind, changes in Handover(kind, changes) == .renewed }
        component.keepsSamples = { store, record in try !store.samples.isShared(record) }
        component.wanted = { store, missing in try store.wantedSamples(of: missing) }
        return component
    }()
}

extension Store {
    /// Which samples leave this device, and which it asks for.
    var samples: SamplePolicy { componentState.object { SamplePolicy(log: log, views: views) } }

    fileprivate func sealTailsBeforeClearing() async throws {
        try await sealTails()
        guard let tail = Tails.all(in: files).first(where: TailLock.isHeld) else { return }
        throw StoreError(
            .busy, "A recording is running here: \(URL(filePath: tail).deletingPathExtension().lastPathComponent).",
            hint: "End the recording first. Nothing was deleted.")
    }
}
