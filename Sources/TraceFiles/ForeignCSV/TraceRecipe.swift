/// The columns of the files of a program that many people have.
///
/// The names of the columns are those that the sources of the program write; see ``Recipe/source``.
package struct TraceRecipe: Hashable, Sendable {
    /// Its name on the command line.
    package let name: String
    /// Whose files it reads, in a few words.
    package let program: String
    /// The columns.
    package let mapping: TraceMapping

    /// All recipes. Of two that fit, the earlier one is taken.
    package static let all: [TraceRecipe] = [
        TraceRecipe(
            "joulescope", "statistics of the Joulescope UI", time: [("#time", .seconds)],
            ["current=current:A", "voltage=voltage:V", "power=power:W", "charge=charge:As", "energy=energy:J"]),
        TraceRecipe(
            "km003c", "km003c-rs, ChargerLAB POWER-Z KM003C", time: [("elapsed_us", .microseconds)],
            [
                "voltage=vbus_uv:uV", "current=ibus_ua:uA", "power=power_uw:uW", "charge=charge_uah:uAh",
                "energy=energy_uwh:uWh", "cc1=cc1_uv:uV", "cc2=cc2_uv:uV", "d+=dp_uv:uV", "d-=dm_uv:uV",
                "marker=marker",
            ]),
        TraceRecipe(
            "rd-usb", "rd-usb, RDTech UM24C, UM25C, UM34C and TC66C", time: [("Unix time", .unix), ("Time", .date)],
            [
                "voltage=Voltage (V)", "current=Current (A)", "power=Power (W)", "temperature=Temperature (°C)",
                "d+=Data+ (V)", "d-=Data- (V)", "resistance=Resistance (Ω)", "charge=Accumulated current (mAh):mAh",
                "energy=Accumulated power (mWh):mWh",
            ]),
        TraceRecipe(
            "tc66c", "TC66C.py, RDTech TC66 and TC66C", time: [("Time[S]", .seconds)],
            [
                "voltage=Volt[V]", "current=Current[A]", "power=Power[W]", "resistance=Res[Ohm]",
                "group0.charge=G0[mAh]:mAh", "group0.energy=G0[mWh]:mWh", "group1.charge=G1[mAh]:mAh",
                "group1.energy=G1[mWh]:mWh", "temperature=Temp[C]", "d+=D+[V]", "d-=D-[V]",
            ]),
        TraceRecipe(
            "sigrok", "sigrok-cli and PulseView, with time and units as labels",
            time: [
                ("nanoseconds", .nanoseconds), ("microseconds", .microseconds), ("milliseconds", .milliseconds),
            ],
            ["voltage=V DC", "voltage2=V DC", "current=A DC", "current2=A DC", "power=W", "temperature=°C"]),
    ]

    /// Returns the recipe of this name; `nil` if there is none.
    package static func named(_ name: String) -> TraceRecipe? { all.first { $0.name == name } }

    private init(_ name: String, _ program: String, time: [(String, TimeColumn.Form)], _ channels: [String]) {
        (self.name, self.program) = (name, program)
        var mapping = TraceMapping()
        mapping.times = time.map { TimeColumn(.name($0.0), $0.1) }
        mapping.channels = channels.compactMap { try? ChannelColumn($0) }
        precondition(mapping.channels.count == channels.count, "Each column of a recipe can be read.")
        mapping.mayLackChannels = true
        self.mapping = mapping
    }
}
