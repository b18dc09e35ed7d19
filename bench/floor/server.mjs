// The floor: what anyone would write first for a terminal in a page. One socket a shell, every byte goes to xterm.js.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import { spawn } from 'node-pty';
import { WebSocketServer } from 'ws';

const require = createRequire(import.meta.url);
const files = {
  '/': [path.join(import.meta.dirname, 'page.html'), 'text/html; charset=utf-8'],
  '/xterm.js': [require.resolve('@xterm/xterm'), 'text/javascript'],
  '/xterm.css': [require.resolve('@xterm/xterm/css/xterm.css'), 'text/css'],
};

const server = createServer((request, response) => {
  const [file, type] = files[new URL(request.url, 'http://localhost').pathname] ?? [];
  if (!file) return response.writeHead(404).end();
  response.writeHead(200, { 'content-type': type }).end(readFileSync(file));
});

new WebSocketServer({ server }).on('connection', (socket, request) => {
  const { searchParams } = new URL(request.url, 'http://localhost');
  const shell = spawn(process.env.SHELL ?? '/bin/bash', [], {
    name: 'xterm-256color',
    cols: Number(searchParams.get('cols')),
    rows: Number(searchParams.get('rows')),
    cwd: process.cwd(),
    env: process.env,
  });
  shell.onData((data) => socket.send(data));
  shell.onExit(() => socket.close());
  socket.on('message', (data) => shell.write(data.toString()));
  socket.on('close', () => shell.kill());
});

server.listen(0, '127.0.0.1', () => console.log(`floor ready http://127.0.0.1:${server.address().port}/`));
