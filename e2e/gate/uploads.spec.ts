import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { TerminalLimits } from '../../schemas/terminals';
import { browserHeaders, expect, TesseraClient, test, until } from '../support';
import { ask, sendBytes } from './raw';

test('a dropped file lands in a private folder of its session, under a safe name', async ({ server }) => {
  const client = await TesseraClient.connect(server);
  const { session } = await client.createTerminal({ x: 0, y: 0 });
  const { cookie, key } = client.credentials;
  const headers = {
    cookie,
    'x-tessera-key': key,
    'x-tessera-upload': '1',
    'content-type': 'application/octet-stream',
    ...browserHeaders(server.url),
  };
  const upload = (name: string, body: Buffer, more = {}) =>
    ask(server, {
      method: 'POST',
      path: `/api/terminals/${session.record.id}/files?name=${encodeURIComponent(name)}`,
      headers: { ...headers, ...more },
      body,
    });

  const content = Buffer.alloc(3_000_000, 'tessera ');
  const reply = await upload('my file.bin', content);
  expect(reply.status).toBe(200);
  const { path: file } = JSON.parse(reply.body) as { path: string };
  expect(path.basename(file)).toContain('my file');
  expect(readFileSync(file).equals(content)).toBe(true);
  expect([statSync(file).mode & 0o077, statSync(path.dirname(file)).mode & 0o077]).toEqual([0, 0]);

  for (const name of ['../../evil', '/etc/passwd', '..', 'a/../../b', '', 'x'.repeat(400), 'new\nline', '-rf']) {
    const answered = await upload(name, Buffer.from('x'));
    if (answered.status === 200) {
      const saved = (JSON.parse(answered.body) as { path: string }).path;
      expect(path.dirname(path.dirname(saved)), name).toBe(path.dirname(path.dirname(file)));
    } else {
      expect(answered.status, name).toBeLessThan(500);
    }
  }
  const tooLong = await upload('big', Buffer.from('x'), {
    'content-length': String(TerminalLimits.maxUploadBytes + 1),
  }).catch((error: NodeJS.ErrnoException) => error.code);
  if (typeof tooLong === 'object') expect(tooLong.status).toBe(413);
  else expect(tooLong).toBe('ECONNRESET');

  const lines = Object.entries({ ...headers, Host: `127.0.0.1:${server.port}`, 'transfer-encoding': 'chunked' }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const broken = `POST /api/terminals/${session.record.id}/files?name=cut HTTP/1.1\r\n${lines.join('')}\r\n5\r\nhello\r\nzz\r\n`;
  expect(await sendBytes(server.port, broken)).toMatch(/^(HTTP\/1\.1 4|$)/);

  const unknown = await ask(server, {
    method: 'POST',
    path: '/api/terminals/nosuchsession/files?name=x',
    headers,
    body: 'x',
  });
  expect([unknown.status, JSON.parse(unknown.body)]).toMatchObject([400, { error: { code: expect.any(String) } }]);
  await until('the server to answer on', async () => (await ask(server, { path: '/login' })).status === 200);
  client.close();
});
