/** Everything that a person can do: the palette lists it, keys run it, menus call it. One definition each. */
export interface Action {
  /** Also the key of its label in the message files: `actions.<id>`. Dots group: "terminal.search". */
  id: string;
  section: 'canvas' | 'card' | 'terminal' | 'view' | 'app';
  /** Default chords in tinykeys' notation with physical codes, e.g. "$mod+Shift+KeyP"; rebindable in settings. */
  keys: string[];
  /** Works while a terminal has the focus; then it must be in the reserved-chord test. */
  reserved?: boolean;
  /** Absent: always. The palette leaves out what is not possible now. */
  enabled?: () => boolean;
  run: () => void | Promise<void>;
}
