import Foundation

/// Real file systems that are made for one run; they need root.
enum Disks {
    static func mount(_ words: String...) throws { try command("mount", words) }

    static func unmount(_ folder: String) throws {
        // A process that was killed may need a moment until its files are closed.
        for _ in 0..<20 {
            if (try? command("umount", [folder])) != nil { return }
            usleep(50_000)
        }
        try command("umount", [folder])
    }

    /// Runs a command and returns its output.
    @discardableResult
    static func command(_ name: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [name] + arguments
        process.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
        let (printed, errors) = (Pipe(), Pipe())
        process.standardOutput = printed
        process.standardError = errors
        try process.run()
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let output = String(decoding: printed.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(
                "\(name) \(arguments.joined(separator: " ")): \(text.split(separator: "\n").joined(separator: " "))")
        }
        return output
    }

    /// Why no small disk can be mounted here; `nil` if one can.
    static func obstacle(in folder: String) -> String? {
        guard geteuid() == 0 else { return "mounting needs root" }
        let place = "\(folder)/probe"
        do {
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            try mount("-t", "tmpfs", "-o", "size=64k", "tmpfs", place)
            try unmount(place)
            return nil
        } catch { return "\(error)" }
    }

    /// Why no image of ext4 can be mounted here; `nil` if one can.
    static func imageObstacle(in folder: String) -> String? {
        guard geteuid() == 0 else { return "mounting needs root" }
        do {
            let image = try Image("\(folder)/probe")
            try image.remove()
            try? FileManager.default.removeItem(atPath: "\(folder)/probe")
            return nil
        } catch { return "\(error)" }
    }

    /// A file with ext4 in it, mounted as the folder `disk`. It stays the same device until it is removed, like a
    /// disk that loses power, because device and inode distinguish a store from its copies.
    struct Image {
        let folder: String
        private let device: String
        var disk: String { "\(folder)/disk" }

        init(_ folder: String) throws {
            self.folder = folder
            try FileManager.default.createDirectory(atPath: "\(folder)/disk", withIntermediateDirectories: true)
            let path = "\(folder)/image"
            guard FileManager.default.createFile(atPath: path, contents: nil) else { throw Failure("no image") }
            guard truncate(path, 64 << 20) == 0 else { throw Failure("no image: \(errno)") }
            try command("mkfs.ext4", ["-q", "-F", path])
            device = try command("losetup", ["--find", "--show", path]).trimmingCharacters(in: .whitespacesAndNewlines)
            do { try mount() } catch {
                _ = try? command("losetup", ["--detach", device])
                throw error
            }
        }

        func mount() throws { try Disks.mount(device, disk) }
        func unmount() throws { try Disks.unmount(disk) }

        /// Releases the device.
        func remove() throws {
            defer { _ = try? command("losetup", ["--detach", device]) }
            try unmount()
        }

        /// Stops the file system at once, without flushing its journal: EXT4_IOC_SHUTDOWN with
        /// EXT4_GOING_FLAGS_NOLOGFLUSH.
        static func shutDown(_ disk: String) {
            let descriptor = open(disk, O_RDONLY | O_DIRECTORY)
            guard descriptor >= 0 else { return }
            var flag: UInt32 = 2
            // _IOR('X', 125, __u32)
            _ = ioctl(descriptor, UInt(0x8004_587D), &flag)
            close(descriptor)
        }
    }
}

/// Full disks: small file systems of many sizes, on which a session writes until nothing more fits.
struct FullDisks {
    let lane: Lane
    let runs: Int

    private static let length = 60

    func run() throws {
        let whole = try bytesOfSession()
        lane.work(units: runs) { unit, folder in
            let trial = try Trial(folder, .store)
            let bytes = 65_536 + (whole - 65_536) * unit / max(1, runs)
            try Disks.mount("-t", "tmpfs", "-o", "size=\(bytes)", "tmpfs", "\(folder)/disk")
            defer { try? Disks.unmount("\(folder)/disk") }
            try trial.write(seed: UInt64(unit % 8) + 1, length: Self.length)
            lane.ran()
            if trial.isWhole, trial.promises.isCreated { try trial.look() }
            // Make room again.
            try Disks.mount("-o", "remount,size=\(whole * 4)", "\(folder)/disk")
            if trial.isWhole { try trial.check() }
            try lane.control(unit, trial)
            return trial
        }
        lane.note("sizes from 64 KiB to \(whole >> 10) KiB")
    }

    private func bytesOfSession() throws -> Int {
        let trial = try Trial("\(lane.settings.folder)/\(lane.name)-trace", .store)
        defer { trial.remove() }
        try trial.write(seed: 1, length: Self.length)
        var bytes = 0
        for case let url as URL in FileManager.default.enumerator(
            at: URL(filePath: "\(trial.folder)/disk"), includingPropertiesForKeys: [.fileSizeKey]) ?? .init()
        {
            bytes += try url.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
        }
        return bytes * 5 / 4
    }
}

/// A real kernel and a real ext4, shut down as if the power were cut.
struct Shutdowns {
    let lane: Lane
    let runs: Int
    let isControl: Bool

    private static let rounds = 5

    func run() throws {
        let rounds = isControl ? 1 : Self.rounds
        let units = (runs + rounds - 1) / rounds
        lane.work(units: units) { unit, folder in
            var generator = lane.generator(unit)
            let subject: Trial.Subject =
                isControl ? .lean(.unflushed) : unit.isMultiple(of: 3) ? .lean(.durable) : .store
            let trial = try Trial(folder, subject)
            let image = try Disks.Image(folder)
            defer { try? image.remove() }
            for _ in 0..<min(rounds, runs - unit * rounds) where trial.isWhole {
                let moment = Double.random(in: isControl ? 0.1...0.2 : 0.02...0.4, using: &generator)
                let disk = image.disk
                let incident = Child.Incident(after: moment, leastBytes: isControl ? 50_000 : 0) { pid in
                    Disks.Image.shutDown(disk)
                    // Its work on the stopped file system is refused; then the machine is off.
                    usleep(10_000)
                    kill(pid, SIGKILL)
                }
                let seed = generator.next() >> 1
                if subject == .store, unit.isMultiple(of: 2) {
                    try trial.writeTogether(seed: seed, length: 60, incident: incident, mayRefuse: true)
                } else {
                    try trial.write(seed: seed, length: subject == .store ? 60 : 3_000, incident: incident)
                }
                lane.ran()
                // If the session has already ended, the cut comes now.
                Disks.Image.shutDown(disk)
                try image.unmount()
                try image.mount()
                trial.restart()
                if trial.isWhole { try trial.check() }
            }
            try lane.control(unit, trial)
            return trial
        }
    }
}
