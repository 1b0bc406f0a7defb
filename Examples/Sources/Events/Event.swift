/// Something that happens in the garden.
public enum Event: String, Sendable {
    case planted, watered, harvested
}
