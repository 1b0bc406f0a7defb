import GroundwaveMetering

extension PlotSeries {
    /// Returns the series as it is drawn: temperatures in `unit`, with a decimal more if there is room for one, which
    /// holds them exactly.
    func shown(in unit: TemperatureUnit) -> PlotSeries {
        guard unit.isConverted(channel) else { return self }
        let isFiner = channel.decimals < 9
        let finer = Channel(channel.name, channel.unit, decimals: channel.decimals + (isFiner ? 1 : 0))
        func value(_ value: Int64) -> Int64 {
            Int64(clamping: unit.shown(meanOf: Int128(value) * (isFiner ? 10 : 1), count: 1, of: finer))
        }
        var series = self
        series.channel = finer
        series.columns = columns.map { cell in
            // Nothing draws the sum.
            cell.map { cell in
                var shown = cell
                (shown.first, shown.last) = (value(cell.first), value(cell.last))
                (shown.least, shown.greatest) = (value(cell.least), value(cell.greatest))
                return shown
            }
        }
        series.bands = bands.map { Band(columns: $0.columns, least: value($0.least), greatest: value($0.greatest)) }
        return series
    }
}
