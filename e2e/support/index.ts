/** What stories are written with. */
export { browserHeaders, type Credentials, newId, TesseraClient, takeLink } from './client';
export { endProcessesOf, isAlive, openFiles, processesOf, residentBytes, signal } from './processes';
export { freePort, PROMPT, type ServerOptions, startServer, TesseraServer } from './server';
export {
  card,
  firstTerminal,
  focusTerminal,
  openTerminal,
  run,
  shownRows,
  terminalCards,
  terminalIds,
  terminalLines,
  terminalText,
  typeInto,
  untilText,
} from './terminal';
export { expect, signIn, test } from './test';
export { until } from './until';
