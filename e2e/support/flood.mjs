// Prints numbered lines at a steady rate until a file of the given name appears: node flood.mjs STOP_FILE MEGABYTES_PER_SECOND
// It ends its lines with CR LF itself, so that a copy made by tee has the very bytes that the terminal gets under `stty -onlcr`.
import { existsSync, writeSync } from 'node:fs';

const [stopFile, rate = '6'] = process.argv.slice(2);
const TICK_MS = 10;
const bytesPerTick = (Number(rate) * 1_000_000 * TICK_MS) / 1000;

function write(text) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}

let number = 0;
let budget = 0;
const timer = setInterval(() => {
  budget = Math.min(budget + bytesPerTick, 10 * bytesPerTick);
  let text = '';
  while (text.length < budget) {
    number++;
    const colour = 31 + (number % 6);
    text += `#${String(number).padStart(8, '0')} \x1b[${colour}mbuilding part ${number % 977} of the whole\x1b[0m ${'─'.repeat(number % 17)} ok\r\n`;
  }
  budget -= text.length;
  write(text);
  if (existsSync(stopFile)) clearInterval(timer);
}, TICK_MS);
