import { type Static, Type } from '@sinclair/typebox';
import { Closed } from './result';

const oneOf = <T extends string>(...values: T[]) => Type.Union(values.map((v) => Type.Literal(v)));

/** What a person can set; stored on the server, the same in every tab. An absent key is its default. */
export const Settings = Closed({
  v: Type.Literal(1),
  palette: oneOf('system', 'sage', 'lilac', 'night'),
  locale: oneOf('system', 'en', 'ru'),
  terminalFontSize: Type.Number({ minimum: 6, maximum: 40 }),
  scrollback: Type.Integer({ minimum: 100, maximum: 100_000 }),
  /** Keep the output of new terminals on disk. */
  journal: Type.Boolean(),
  screenReader: Type.Boolean(),
  /** A plain wheel over the canvas. */
  wheel: oneOf('pan', 'zoom'),
  snap: Type.Boolean(),
  /** What a program may do to the clipboard (OSC 52). */
  clipboardWrite: oneOf('ask', 'never', 'allow'),
  /** Who needs the person is said by the system too, while no tab shows; a browser has to allow it besides. */
  desktopNotices: Type.Boolean(),
  /** An absolute path; empty: the person's login shell. */
  shell: Type.String({ maxLength: 4096 }),
  /** Action id to chords, e.g. {"palette.open": ["$mod+Shift+KeyP"]}. An empty list unbinds. */
  keys: Type.Record(Type.String({ maxLength: 64 }), Type.Array(Type.String({ maxLength: 64 }), { maxItems: 4 }), {
    maxProperties: 500,
  }),
});
export type Settings = Static<typeof Settings>;

export const defaultSettings: Settings = {
  v: 1,
  palette: 'system',
  locale: 'system',
  terminalFontSize: 13,
  scrollback: 10_000,
  journal: true,
  screenReader: false,
  wheel: 'pan',
  snap: true,
  clipboardWrite: 'ask',
  desktopNotices: false,
  shell: '',
  keys: {},
};

/** A change: only the keys that change. */
export const SettingsPatch = Type.Partial(Type.Omit(Settings, ['v']), { additionalProperties: false });
export type SettingsPatch = Static<typeof SettingsPatch>;
