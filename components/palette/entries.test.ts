import { describe, expect, it } from 'vitest';
import { messageAt, messages } from '../i18n';
import { englishLabel, isListed, scoreOf } from './entries';

const best = (search: string, entries: Record<string, string[]>) =>
  Object.entries(entries)
    .map(([id, keywords]) => ({ id, score: scoreOf(id, search, keywords) }))
    .sort((a, b) => b.score - a.score)[0]!.id;

describe('the palette', () => {
  it.each(['en', 'ru'] as const)('finds "New terminal" in %s by its own name and by the English one', (locale) => {
    const keywords = [messageAt(messages[locale], 'actions.terminal.new')!, englishLabel(messages.en, 'terminal.new')];
    expect(englishLabel(messages.en, 'terminal.new')).toBe('New terminal');
    expect([scoreOf('x', 'New terminal', keywords), scoreOf('x', keywords[0]!, keywords)]).toEqual([1, 1]);
  });
  it('puts first what begins with the letters', () => {
    expect(
      best('new', { 'terminal.new': ['New terminal'], 'view.back': ['Renew view'], 'note.new': ['Sticky note'] }),
    ).toBe('terminal.new');
  });
  it('does not match inner ids', () => {
    expect(scoreOf('session:abc123', 'abc123', ['zsh', '/tmp'])).toBe(0);
  });
  it('leaves out what is only a key', () => {
    expect(['canvas.nudgeLeft', 'view.escape', 'terminal.new', 'view.fit'].filter(isListed)).toEqual([
      'terminal.new',
      'view.fit',
    ]);
  });
});
