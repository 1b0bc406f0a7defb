import CLMDB

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

extension Environment {
    /// Creates a new environment at `path` and opens it.
    public static func create(
        at path: String, options: Options = Options(), prepare: (borrowing WriteTransaction) throws -> Void
    ) throws -> Environment {
        guard !FileSystem.isTaken(path) else { throw LMDBError(.exists, path: path, during: .create) }
        let aside = "\(path).tmp-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        defer {
            FileSystem.remove(aside)
            FileSystem.remove(aside + "-lock")
        }
        var options = options
        options.isReadOnly = false
        let (code, handle) = unsafe openHandle(
            aside, UInt32(MDB_NOSUBDIR | MDB_NOTLS), options.initialMapSizeBytes, options)
        guard let handle = unsafe handle else {
            throw LMDBError(LMDBError.Reason(code: code), path: path, during: .create)
        }
        let building = unsafe Environment(opened: handle, path: aside, options: options, pageSize: 4096, identity: nil)
        do {
            try building.write(prepare)
            try building.synchronise()
        } catch {
            building.close()
            throw error
        }
        building.close()
        do {
            try FileSystem.rename(aside, toUnused: path)
            try FileSystem.synchronise(folder: FileSystem.folder(of: path))
        } catch {
            throw LMDBError(LMDBError.Reason(code: error.code), path: path, during: .create)
        }
        return try open(path, options: options)
    }
}
