import GroundwaveByteCoding
import GroundwaveEvents

/// A digest as words that can be read out over the air and compared by ear.
///
/// Each word stands for one byte: its index in a list of 256 words that is part of the format and never changes. No
/// two words begin with the same three letters, and one wrong letter never turns a word into another. Sixteen words
/// are the first 128 bits of the digest.
package enum DigestWords {
    /// The number of words of a digest.
    package static let wordCount = 16

    /// Returns the words of `hash`.
    package static func words(of hash: Hash256) -> [String] {
        var writer = ByteWriter(capacity: 32)
        writer.append(hash)
        return writer.bytes.prefix(wordCount).map { list[Int($0)] }
    }

    /// The 256 words in alphabetical order.
    package static let list: [String] =
        """
        acid actor alarm album amber anchor apple april arch arrow atlas bacon badge baker bamboo banjo basin \
        beach beetle bishop blanket boiler bonus bottle bread bridge bronze bucket butter cabin cactus camel \
        candle carbon castle cedar cellar chalk cherry chimney circus clover cobalt coffee comet copper coral \
        cotton cradle crystal curtain dagger daisy dancer deck delta denim desert diesel dinner doctor dolphin \
        donkey dragon drum dusk eagle earth easel echo elbow elephant engine envelope escape fabric falcon \
        farmer feather fiddle finger flame flute forest fossil fountain freight frost gadget galaxy garden \
        ghost glacier goblet gondola gravel grizzly guitar gypsum hammer harbor hazel helmet heron hiker hockey \
        honey horizon hotel hurdle husky icing igloo index insect island ivory jacket jaguar jelly jersey \
        jigsaw journal jungle kangaroo kayak kernel kettle kitchen knight ladder lagoon lantern laundry lemon \
        lever library lizard lobster lumber lynx magnet mango marble meadow mercury mirror mosaic motor muffin \
        museum napkin nephew nickel noodle north nugget nutmeg oasis object octopus olive onion opera orbit \
        orchid otter oven oxygen oyster paddle palace parrot pebble pencil piano pilot pirate planet plough \
        police pony potato prairie prism pumpkin puzzle quarter quilt rabbit radar rainbow raven reason ribbon \
        river robin rocket rubber salmon sandal satin scarf school shadow silver sketch slipper smoke snow \
        spider spring square stadium sugar summer swallow table tailor target temple thunder tiger timber toast \
        tomato tractor trumpet tulip tundra turtle umbrella uncle unicorn vacuum valley vanilla velvet village \
        vinegar violin volcano voyage waffle walnut water whistle willow window wolf wrestle yacht yellow \
        yogurt zebra zigzag
        """.split(separator: " ").map(String.init)
}
