# One line for each field of each record of an ADI file: date, time, call, band, then FIELD=VALUE.
#
# Fields are cut by their declared length, as the specification says; names are in upper case. Run it with LC_ALL=C, so
# that lengths are bytes, and sort what comes out: then two files say the same exactly where their lines are the same.
# It knows nothing of Groundwave on purpose: Tools/quickstart uses it to check what Groundwave wrote.

{ text = text $0 "\n" }

END {
    # What stands before <EOH> is the header; a file that starts with a tag has none.
    rest = text
    if (substr(text, 1, 1) != "<") {
        if (!match(toupper(rest), /<EOH>/)) exit
        rest = substr(rest, RSTART + RLENGTH)
    } else if (match(toupper(rest), /<EOH>/)) {
        rest = substr(rest, RSTART + RLENGTH)
    }
    count = 0
    while (match(rest, /<[^<>]*>/)) {
        tag = substr(rest, RSTART + 1, RLENGTH - 2)
        rest = substr(rest, RSTART + RLENGTH)
        parts = split(tag, part, ":")
        name = toupper(part[1])
        if (name == "EOR") {
            print_record()
            count = 0
        } else if (parts >= 2) {
            names[++count] = name
            values[count] = substr(rest, 1, part[2] + 0)
            rest = substr(rest, part[2] + 1)
        }
    }
}

function value_of(name, place) {
    for (place = 1; place <= count; place++) if (names[place] == name) return values[place]
    return ""
}

function print_record(place, start, value) {
    start = value_of("QSO_DATE") " " value_of("TIME_ON") " " value_of("CALL") " " toupper(value_of("BAND"))
    for (place = 1; place <= count; place++) {
        value = values[place]
        gsub(/\r/, "\\r", value)
        gsub(/\n/, "\\n", value)
        print start " " names[place] "=" value
    }
}
