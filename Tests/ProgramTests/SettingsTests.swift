import Foundation
import Testing

@Suite struct `groundwave settings` {
    @Test func `set, get, list and unset`() throws {
        let program = try Program()
        let set = try program.json("settings", "set", "defaultPower", "5")
        #expect(set["travels"] as? Bool == true)
        #expect(set["event"] is String)
        #expect(try program.run("settings", "get", "defaultPower").output == "5\n")
        try program.json("settings", "set", "windowWidth", "800")
        let listed = try #require(try program.json("settings", "list")["settings"] as? [[String: Any]])
        #expect(listed.map { $0["key"] as? String } == ["defaultPower", "windowWidth"])
        #expect(listed.map { $0["travels"] as? Bool } == [true, false])
        try program.json("settings", "unset", "defaultPower")
        #expect(try program.run("settings", "get", "defaultPower").status == 1)
        #expect((try program.json("settings", "list", "--all")["settings"] as? [Any])?.count == 57)
    }

    @Test func `a wrong type is 64, a credential 77 and never repeated`() throws {
        let program = try Program()
        #expect(try program.run("settings", "set", "defaultPower", "much").status == 64)
        for arguments in [["qrzPassword", "hunter2-hunter2"], ["theme", "ghp_0123456789abcdef"]] {
            for json in [[], ["--json"]] {
                let refused = try program.run(["settings", "set"] + arguments + json)
                #expect(refused.status == 77)
                #expect(!(refused.output + refused.errors).contains(arguments[1]))
            }
        }
    }

    @Test func `an exported file is read back, and what does not travel is told`() throws {
        let program = try Program()
        for (key, value) in [("rigs", "KX2,FT-891"), ("usesMetric", "true")] {
            try program.json("settings", "set", key, value)
        }
        let file = program.folder.appending(path: "settings.json").path
        #expect(try program.json("settings", "export", "-o", file)["settings"] as? Int == 2)
        let other = try Program()
        #expect((try other.json("settings", "import", file)["imported"] as? [String]) == ["rigs", "usesMetric"])
        let mixed = try other.run(
            "settings", "import", "-", "--json", input: #"{"settings": {"theme": "dark", "foo": "x", "apiToken": "y"}}"#
        )
        #expect(mixed.status == 3)
        #expect(mixed.json["imported"] as? [String] == ["theme"])
        #expect(mixed.json["unknown"] as? [String] == ["foo"])
        #expect(mixed.json["credentials"] as? Int == 1)
        #expect(try other.run("settings", "import", "-", input: "no").status == 65)
        #expect(try other.run("settings", "import", other.folder.path + "/none").status == 66)
    }
}
