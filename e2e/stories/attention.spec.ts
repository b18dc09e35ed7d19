import { leaveCards, untilFocused } from '../canvas/support';
import { card, expect, firstTerminal, openTerminal, test, typeInto, until } from '../support';

const note = (title: string, body: string) => `sleep 1; printf '\\e]777;notify;${title};${body}\\a'\n`;

test('who needs you is the same in every tab, outlives a reload and is settled by looking, in all tabs', async ({
  canvas: page,
}) => {
  await firstTerminal(page);
  const id = await openTerminal(page);
  await typeInto(page, id, note('Build', 'all is done'));
  await leaveCards(page);
  const needs = { name: 'One terminal needs you' };
  await expect(page.getByRole('button', needs)).toBeVisible();

  await page.reload();
  await expect(page.getByRole('button', needs)).toBeVisible();
  await expect(card(page, id)).toHaveAttribute('data-state', 'need');
  await expect(page).toHaveTitle(/^\(1\) /);

  const other = await page.context().newPage();
  await other.goto(new URL('/', page.url()).href);
  await expect(other.getByRole('button', needs)).toBeVisible();
  await expect(card(other, id)).toHaveAttribute('data-state', 'need');
  await expect(other).toHaveTitle(/^\(1\) /);

  await other.getByRole('button', needs).click();
  await other.getByRole('button', { name: /Build: all is done/ }).click();
  await untilFocused(other, id);
  for (const tab of [page, other]) {
    await expect(tab.getByRole('button', { name: 'Nobody needs you' })).toBeVisible();
    await expect(card(tab, id)).not.toHaveAttribute('data-state', 'need');
    await expect(tab).not.toHaveTitle(/^\(/);
  }
  await page.reload();
  await expect(page.getByRole('button', { name: 'Nobody needs you' })).toBeVisible();
});

test.describe('notifications of the system', () => {
  test.beforeEach(({ context }) =>
    context.addInitScript(() => {
      const seen: { title: string; body?: string | undefined }[] = [];
      const asked: string[] = [];
      class Recorder {
        static permission = 'default';
        static async requestPermission() {
          asked.push('asked');
          Recorder.permission = 'granted';
          return 'granted';
        }
        constructor(title: string, options: NotificationOptions) {
          seen.push({ title, body: options.body });
        }
        close() {}
      }
      Object.assign(window, { Notification: Recorder, notices: { seen, asked, hidden: false } });
      Object.defineProperty(document, 'hidden', {
        get: () => (window as unknown as { notices: { hidden: boolean } }).notices.hidden,
      });
    }),
  );

  test('come only when a click switched them on and the page is hidden, with the title and the message', async ({
    canvas: page,
  }) => {
    const notices = () =>
      page.evaluate(
        () => (window as unknown as { notices: { seen: { title: string; body: string }[]; asked: string[] } }).notices,
      );
    const hide = (hidden: boolean) =>
      page.evaluate((value) => {
        (window as unknown as { notices: { hidden: boolean } }).notices.hidden = value;
      }, hidden);
    const id = await firstTerminal(page);
    const settle = async () => {
      await page.getByRole('button', { name: 'One terminal needs you' }).click();
      await page.getByRole('button', { name: 'Clear the list' }).click();
      await page.keyboard.press('Escape');
      await expect(page.getByRole('button', { name: 'Nobody needs you' })).toBeVisible();
    };

    // Off: nothing is asked and nothing is shown.
    await hide(true);
    await typeInto(page, id, note('First', 'unheard'));
    await leaveCards(page);
    await expect(page.getByRole('button', { name: 'One terminal needs you' })).toBeVisible();
    expect(await notices()).toMatchObject({ seen: [], asked: [] });
    await settle();

    await page.getByRole('button', { name: 'Settings' }).click();
    const toggle = page.getByRole('switch', { name: 'Notifications of the system' });
    await expect(toggle).not.toBeChecked();
    await toggle.click();
    await expect(toggle).toBeChecked();
    expect((await notices()).asked).toEqual(['asked']);
    await page.keyboard.press('Escape');

    // A page that shows says it itself.
    await hide(false);
    await typeInto(page, id, note('Second', 'seen in the page'));
    await leaveCards(page);
    await expect(page.getByRole('button', { name: 'One terminal needs you' })).toBeVisible();
    expect((await notices()).seen).toEqual([]);
    await settle();

    await hide(true);
    await typeInto(page, id, note('Third', 'all is done'));
    await leaveCards(page);
    await until('a notification', async () => (await notices()).seen.length > 0);
    const [shown] = (await notices()).seen;
    expect(shown!.body).toBe('Third: all is done');
    // What the card was called just then: what ran in it.
    expect(shown!.title).toContain('sleep 1');
  });
});
