import ADIF
import Foundation

/// Parsing of ADIF, and a log to parse: distinct calls and times, twenty fields a contact.
enum ADIFBench {
    static func parse(_ path: String) throws {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        var records = 0
        var fields = 0
        let elapsed = seconds {
            var reader = ADIReader()
            var offset = 0
            while offset < bytes.count {
                let end = min(offset + 1 << 18, bytes.count)
                reader.append(bytes[offset..<end])
                offset = end
                while let item = reader.next() { count(item, &records, &fields) }
            }
            reader.finish()
            while let item = reader.next() { count(item, &records, &fields) }
        }
        print(
            "engine parse \(records): \(String(format: "%.1f", Double(bytes.count) / 1e6 / elapsed)) MB/s # \(fields)")
    }

    private static func count(_ item: ADIFItem, _ records: inout Int, _ fields: inout Int) {
        guard case .record(let record) = item else { return }
        records += 1
        fields += record.fields.count
    }

    static func generateLog(_ path: String, contacts: Int) throws {
        var text = "A made-up log.\n<ADIF_VER:5>3.1.6 <PROGRAMID:5>BENCH <EOH>\n"
        text.reserveCapacity(contacts * 360)
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        let bands = [("20m", 14), ("40m", 7), ("80m", 3), ("15m", 21), ("10m", 28)]
        func field(_ name: String, _ value: String) { text += "<\(name):\(value.utf8.count)>\(value) " }
        for index in 0..<contacts {
            let random = mixed(UInt64(index))
            // The number in base 26, so that no call occurs twice.
            var call = "N\(random % 10)"
            var rest = index
            for _ in 0..<5 {
                call.append(letters[rest % 26])
                rest /= 26
            }
            let moment = ADIFDateTime(unixSeconds: 1_577_836_800 + Int64(index) * 600 + Int64(random % 600))
            let band = bands[Int(random >> 8) % bands.count]
            field("CALL", call)
            field("QSO_DATE", moment.date.text)
            field("TIME_ON", moment.time.text)
            field("BAND", band.0)
            field("FREQ", "\(band.1).\(100_000 + random % 99_999)")
            field("MODE", ["CW", "SSB", "FT8"][Int(random >> 16) % 3])
            field("RST_SENT", "599")
            field("RST_RCVD", "579")
            field("STATION_CALLSIGN", "N0CALL")
            field("OPERATOR", "N0CALL")
            field("GRIDSQUARE", "FN\(10 + random % 90)ab")
            field("MY_GRIDSQUARE", "EM12ab")
            field("NAME", ["Ann", "Bob", "Eve", "Joe"][Int(random >> 24) % 4])
            field("TX_PWR", "100")
            field("COMMENT", "made up, number \(index)")
            field("COUNTRY", "United States")
            field("CQZ", "5")
            field("ITUZ", "8")
            field("DXCC", "291")
            field("APP_BENCH_ID", "\(index)")
            text += "<EOR>\n"
        }
        try Data(text.utf8).write(to: URL(filePath: path))
        print("engine log \(contacts): \(text.utf8.count / 1_000_000) MB")
    }
}
