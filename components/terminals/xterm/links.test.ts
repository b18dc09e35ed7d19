import { expect, test } from 'vitest';
import { linkTarget } from './links';

test('S25: only web and mail addresses are links', () => {
  expect(linkTarget('https://example.org/a?b#c')).toBe('https://example.org/a?b#c');
  expect(linkTarget('mailto:someone@example.org')).toBe('mailto:someone@example.org');
  const inert = [
    'javascript:alert(1)',
    'JaVa\tScript:alert(1)',
    'data:text/html,<script>',
    'file:///etc/passwd',
    'vbscript:x',
    'blob:https://example.org/1',
    'http://ok\x1b]52;c;aGk=\x07',
    'http://ok\u009d52;',
    'https://example.org/\u202egpj.exe',
    ' https://example.org',
    'https://example.org/\n',
    'example.org',
    `https://example.org/${'x'.repeat(5000)}`,
    '',
  ];
  expect(inert.map(linkTarget)).toEqual(inert.map(() => null));
});
