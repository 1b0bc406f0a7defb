import Foundation
import GroundwaveStore
import GroundwaveTesting
import Testing

@Suite struct `The mark of a join` {
    private let folder: TemporaryFolder
    private let files: StoreFiles
    private let address = "file:///media/stick"

    init() throws {
        folder = try TemporaryFolder()
        files = StoreFiles(folder.url.appending(path: "store"))
    }

    private var path: String { files.folder.appending(path: "joining").path }

    @Test func `is not written again by a join that resumes, so that it always has the address`() throws {
        _ = try Joining(address, files)
        let written = Date(timeIntervalSince1970: 1_000_000_000)
        try FileManager.default.setAttributes([.modificationDate: written], ofItemAtPath: path)
        _ = try Joining(address, files)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.modificationDate] as? Date == written)
        #expect(try Joining.address(in: files) == address)
    }

    @Test func `that was cut off while it was first written is written whole`() throws {
        _ = try Joining(address, files)
        for count in 0...address.utf8.count {
            try Data(address.utf8.prefix(count)).write(to: URL(filePath: path))
            #expect(try Joining.address(in: files) == nil)
            _ = try Joining(address, files)
            #expect(try Joining.address(in: files) == address)
        }
    }

    @Test func `refuses another address, and another process`() throws {
        let joining = try Joining(address, files)
        #expect {
            _ = try Joining("file:///media/other", files)
        } throws: {
            ($0 as? StoreError)?.code == .exists
        }
        #expect {
            _ = try Joining(address, files)
        } throws: {
            ($0 as? StoreError)?.code == .busy
        }
        try joining.finish()
        #expect(try Joining.address(in: files) == nil)
    }
}
