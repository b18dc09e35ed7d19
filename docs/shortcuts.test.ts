// @vitest-environment jsdom
import { expect, test, vi } from 'vitest';
import { type Action, chordLabel } from '../components/actions';
import { canvasActions } from '../components/canvas';
import { messageAt, messages } from '../components/i18n';
import { shellActions } from '../components/shell/actions';
import { terminalActions } from '../components/terminals';

// The terminals' actions without the terminals: an emulator has no place in this test.
vi.mock('../components/terminals', () => vi.importActual('../components/terminals/actions'));

const sections: Record<Action['section'], string> = {
  app: 'Everywhere',
  view: 'Looking around',
  canvas: 'The canvas',
  card: 'Cards',
  terminal: 'Terminals',
};

function row(action: Action, mac: Action | undefined): string {
  const label = messageAt(messages.en, `actions.${action.id}`) ?? action.id;
  const chords = (keys: readonly string[], onMac: boolean) =>
    keys.map((chord) => `\`${chordLabel(chord, onMac)}\``).join(', ');
  return `| ${label} | ${chords(action.keys, false)} | ${chords(mac?.keys ?? action.keys, true)} | ${action.reserved ? 'yes' : ''} |`;
}

test('docs/shortcuts.md lists what can be done and its keys as they are (vitest -u writes it anew)', async () => {
  const actions = [...shellActions(false), ...canvasActions, ...terminalActions];
  const onMac = new Map(shellActions(true).map((action) => [action.id, action]));
  const parts = (Object.keys(sections) as Action['section'][]).map((section) => {
    const rows = actions
      .filter((action) => action.section === section)
      .map((action) => row(action, onMac.get(action.id)));
    return `## ${sections[section]}\n\n| what | keys | on a Mac | also in a terminal |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n`;
  });
  const text = `# Shortcuts

Everything that can be done is in the palette, and every shortcut can be changed in the settings. With a terminal focused all keys
go to its program, except those marked "also in a terminal". Chords name places on the keyboard, so they work in every layout.

${parts.join('\n')}`;
  await expect(text).toMatchFileSnapshot('shortcuts.md');
});
