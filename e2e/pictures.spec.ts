import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from '@playwright/test';
import {
  card,
  expect,
  focusTerminal,
  newId,
  signIn,
  TesseraClient,
  type TesseraServer,
  terminalCards,
  test,
  typeInto,
  until,
  untilText,
} from './support';

/** The README's pictures: the real thing, with a project in it. UPDATE_PICTURES=1 writes them anew. */
const folder = path.resolve('docs/pictures');

const scripts: Record<string, string> = {
  'build.sh': `printf '\\033]9;4;1;62\\a'
for part in schemas storage canvas terminals pty-host realtime; do
  printf '\\033[1;32m   Compiling\\033[0m %s v0.1.0 \\033[2m(packages/%s)\\033[0m\\n' $part $part
done
printf '\\033[33mwarning\\033[0m\\033[1m: unused variable: \`margin\`\\033[0m\\n'
printf '  \\033[1;34m-->\\033[0m packages/canvas/src/layout.ts:118:9\\n'
printf '\\033[1;36m    Building\\033[0m [================>         ] 62%%: minimap\\n'
sleep 1000
`,
  'tests.sh': `for name in 'keeps every line once' 'answers queries once' 'resizes only when asked' 'survives a full disk' 'pastes a megabyte whole'; do
  printf ' \\033[32m✓\\033[0m terminals › %s \\033[90m(%d ms)\\033[0m\\n' "$name" $((RANDOM % 90 + 10))
done
printf ' \\033[31m✗\\033[0m canvas › snaps to the nearer edge \\033[90m(41 ms)\\033[0m\\n\\n'
printf '   \\033[2mexpected\\033[0m 320\\n   \\033[2mreceived\\033[0m \\033[31m318\\033[0m\\n\\n'
printf ' \\033[1mTests\\033[0m  \\033[31m1 failed\\033[0m, \\033[32m41 passed\\033[0m\\n'
(sleep 3; printf '\\033]777;notify;Tests;1 failed, 41 passed\\a' > /dev/tty) &
exit 1
`,
  'serve.sh': `for request in '200 GET /' '200 GET /assets/app.js' '304 GET /assets/app.css' '200 POST /api/search' '404 GET /favicon.ico' '200 GET /api/cards'; do
  set -- $request
  case $1 in 2*) c=32 ;; 3*) c=36 ;; *) c=33 ;; esac
  printf '\\033[2m09:41:%02d\\033[0m \\033[%sm%s\\033[0m %-4s %s \\033[90m%d ms\\033[0m\\n' $((RANDOM % 60)) $c $1 $2 $3 $((RANDOM % 30 + 1))
done
sleep 1000
`,
  'layout.ts': `import type { Card, Guide } from './types';

/** How near an edge has to be to attract a card, in canvas units. */
const THRESHOLD = 10;

/** Moves a card to the nearest guide, if one is near enough. */
export function snap(card: Card, guides: readonly Guide[]): Card {
  let best = { distance: THRESHOLD, x: card.x };
  for (const guide of guides) {
    const distance = Math.abs(guide.x - card.x);
    if (distance < best.distance) best = { distance, x: guide.x };
  }
  return { ...card, x: best.x };
}
`,
};

function makeProject(server: TesseraServer): void {
  for (const [name, text] of Object.entries(scripts)) writeFileSync(path.join(server.project, name), text);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], {
      cwd: server.project,
      env: { ...server.env, GIT_AUTHOR_DATE: '2026-01-05T09:00:00Z', GIT_COMMITTER_DATE: '2026-01-05T09:00:00Z' },
    });
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-q', '-m', 'A canvas that remembers where things lie');
  git('checkout', '-q', '-b', 'snap');
  git('commit', '-q', '--allow-empty', '-m', 'Cards snap to the edges of their neighbours');
  git('commit', '-q', '--allow-empty', '-m', 'Guides show what a card snaps to');
  git('checkout', '-q', 'main');
  git('commit', '-q', '--allow-empty', '-m', 'The minimap shows who needs you');
  git('merge', '-q', '--no-ff', 'snap', '-m', 'Snapping');
}

const WIDTH = 700;
const HEIGHT = 400;
const GAP = 20;
const at = (column: number, row: number) => ({
  x: column * (WIDTH + GAP),
  y: row * (HEIGHT + GAP),
  width: WIDTH,
  height: HEIGHT,
});

async function arrange(page: Page, client: TesseraClient): Promise<void> {
  const canvasId = client.hello.canvases[0]?.id ?? '';
  const first = await until('the first card', async () =>
    (await client.call('canvas:open', { canvasId })).items.find(({ kind }) => kind === 'terminal'),
  );
  await client.call('canvas:apply', {
    opId: newId(),
    canvasId,
    changes: [
      { type: 'place', id: first.id, z: 1, ...at(0, 0) },
      {
        type: 'put',
        item: {
          v: 1,
          id: newId(),
          kind: 'region',
          name: 'Snapping',
          colour: 'green',
          z: 0,
          x: -40,
          y: -70,
          width: 2 * WIDTH + GAP + 80,
          height: 2 * HEIGHT + GAP + 110,
        },
      },
      {
        type: 'put',
        item: {
          v: 1,
          id: newId(),
          kind: 'note',
          text: 'Left to do\n\n– snap to the nearer edge\n– guides at half zoom\n– tell the team',
          colour: 'amber',
          z: 2,
          x: 2 * (WIDTH + GAP) + 60,
          y: HEIGHT + GAP,
          width: 300,
          height: 200,
        },
      },
    ],
  });
  const cards = [first.id];
  for (const place of [at(1, 0), at(0, 1), at(1, 1), { ...at(2, 0), x: 2 * (WIDTH + GAP) + 60 }])
    cards.push((await client.createTerminal(place)).item.id);
  await until('five cards', async () => (await terminalCards(page).count()) === 5);
  const commands: [string, string, RegExp][] = [
    ['build', 'sh build.sh\n', /62%/],
    ['layout.ts', 'vi -u NONE -N -c "syntax on" layout.ts\n', /THRESHOLD/],
    ['tests', 'clear; bash tests.sh\n', /41 passed/],
    ['history', 'clear; git log --graph --oneline --all\n', /remembers/],
    ['server', 'bash serve.sh\n', /\/api\/cards/],
  ];
  const { items } = await client.call('canvas:open', { canvasId });
  for (const [index, [name, command, seen]] of commands.entries()) {
    const id = cards[index] as string;
    await focusTerminal(page, id);
    await untilText(page, id, '❯');
    await typeInto(page, id, command);
    await untilText(page, id, seen);
    const item = items.find((one) => one.id === id);
    if (item?.kind === 'terminal') await client.call('terminal:rename', { sessionId: item.sessionId, name });
  }
  await expect(card(page, cards[2] as string)).toHaveAttribute('data-state', 'need');
  await focusTerminal(page, cards[1] as string);
  await page.keyboard.press('ControlOrMeta+Shift+P');
  await page.getByRole('dialog').getByRole('combobox').fill('Show everything');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toBeHidden();
  await until('the camera to rest', async () => {
    const box = () => card(page, cards[4] as string).boundingBox();
    const [before, , after] = [await box(), await page.evaluate(() => new Promise(requestAnimationFrame)), await box()];
    return before !== null && after !== null && before.x === after.x && before.x + before.width < 1600;
  });
}

test.describe('pictures of the README', () => {
  test.use({
    serverOptions: {
      projectName: 'atlas',
      rcFiles: { '.bashrc': `PS1='\\[\\e[32m\\]\\W\\[\\e[0m\\] ❯ '\nHISTFILE=\n` },
      env: { PYTHONDONTWRITEBYTECODE: '1' },
    },
    viewport: { width: 1600, height: 900 },
  });

  for (const palette of ['sage', 'night'] as const) {
    test(`a project on the canvas in ${palette}: five terminals, a region and a note`, async ({ server, page }) => {
      test.setTimeout(120_000);
      makeProject(server);
      const client = await TesseraClient.connect(server);
      try {
        await client.call('settings:set', { patch: { palette, locale: 'en' } });
        await signIn(server, page);
        await arrange(page, client);
        await expect(page.locator('[data-card-kind="region"]')).toBeVisible();
        await expect(page.locator('[data-card-kind="note"]')).toContainText('Left to do');
        await expect(terminalCards(page)).toHaveCount(5);
        const file = path.join(folder, `canvas-${palette}.png`);
        if (process.env.UPDATE_PICTURES) {
          mkdirSync(folder, { recursive: true });
          await page.mouse.move(800, 890);
          await page.screenshot({ path: file });
        }
        expect(existsSync(file), `${path.relative(process.cwd(), file)} is there (UPDATE_PICTURES=1 makes it)`).toBe(
          true,
        );
      } finally {
        client.close();
      }
    });
  }
});
