/**
 * What Tessera promises, as data. A test proves a promise by naming its id in its title ("pain 21: …", "S5: …",
 * "stream:one-answer: …"); e2e/requirements.test.ts fails when a promise has no test, or a test names an id that is not here.
 */
export interface Requirement {
  id: string;
  /** What happens, in one sentence that a test can be held against. */
  says: string;
}

/** Public complaints about products of our kind; each is tried on ours. */
const pains: Requirement[] = [
  { id: 'pain 1', says: 'At every zoom a click, a drag and a mouse report hit the cell under the pointer.' },
  {
    id: 'pain 2',
    says: 'A selection dragged past the edge scrolls and stays one contiguous run from its anchor, at every zoom.',
  },
  { id: 'pain 3', says: 'Two dozen terminals at once all show their text; none goes blank.' },
  { id: 'pain 4', says: 'Emoji take two cells, so that frames drawn round them line up.' },
  { id: 'pain 5', says: 'The wheel scrolls a focused card and pans the canvas over any other, never both.' },
  { id: 'pain 6', says: 'A pinch over a card zooms the canvas round the pointer and never the web page.' },
  { id: 'pain 7', says: 'A gesture stays with the canvas or the card on which it began until a pause.' },
  { id: 'pain 8', says: 'A paste of 1 MiB arrives byte for byte.' },
  { id: 'pain 9', says: 'A bracketed paste is one paste: one start, one end, its body intact, no end marker inside.' },
  { id: 'pain 10', says: 'Text composed by an input method arrives once, and the next key after it once.' },
  { id: 'pain 11', says: 'Fast typing loses no character and keeps the order, also when the key code is 229.' },
  { id: 'pain 12', says: 'Copy and paste chords work, and the page asks before it is closed over running programs.' },
  { id: 'pain 13', says: 'Resizes that race with the end of a program harm neither the server nor another card.' },
  { id: 'pain 14', says: 'Closing a card ends every process of its session, and names what escaped.' },
  {
    id: 'pain 16',
    says: 'A program that is killed from outside leaves its card readable, with the signal and an offer to restart.',
  },
  { id: 'pain 17', says: 'A shell sees the person’s environment and nothing of the server’s.' },
  {
    id: 'pain 18',
    says: 'A restarted terminal begins in its last folder, or in the nearest that still exists, and says so.',
  },
  { id: 'pain 19', says: 'A restored terminal has a visible cursor; a running program keeps the mode that it set.' },
  { id: 'pain 20', says: 'After a reload inside a full-screen program the normal screen below it comes back exactly.' },
  {
    id: 'pain 21',
    says: 'Every retained line is there exactly once and in order, however often the connection broke.',
  },
  { id: 'pain 22', says: 'A query of a program is answered once; a reload or a second viewer adds no answer.' },
  { id: 'pain 23', says: 'A character whose bytes arrive apart is whole, live and on replay.' },
  {
    id: 'pain 24',
    says: 'Under an endless flood Ctrl+C works within a second, memory stays bounded and other cards stay smooth.',
  },
  { id: 'pain 25', says: 'Dragging an edge resizes a program at most a few times, and zooming the canvas never.' },
  {
    id: 'pain 27',
    says: 'A program writes to the clipboard only with consent and below the cap, and can never read it.',
  },
];

/** Weaknesses that were published about products of our kind. */
const security: Requirement[] = [
  { id: 'S1', says: 'A page of another origin reaches nothing, whatever name or address it uses for this machine.' },
  {
    id: 'S2',
    says: 'A request with a foreign, doubled or missing Host or a foreign Origin is refused before any handler.',
  },
  { id: 'S3', says: 'With everything at its default, no route answers without a session.' },
  { id: 'S4', says: 'Files that hold a secret are private, and an old secret opens nothing.' },
  { id: 'S5', says: 'A page of another local port cannot open our socket, also with our cookies.' },
  {
    id: 'S7',
    says: 'Who may pass is decided from data at hand; every route and upgrade is closed unless it was opened.',
  },
  {
    id: 'S8',
    says: 'A login link works once and soon; neither it nor what is stored of a session can be used as a session.',
  },
  { id: 'S12', says: 'Secrets stand in no log, Referer or redirect, and a redirect leads only to a page of ours.' },
  { id: 'S16', says: 'No link that somebody put in the way leads a file of ours elsewhere.' },
  { id: 'S17', says: 'Headers that only proxies and frameworks set change no decision.' },
  { id: 'S18', says: 'Hostile shapes of JSON get a typed error and touch no prototype.' },
  { id: 'S19', says: 'Malformed frames, floods of headers and half-open sockets leave the server alive.' },
  { id: 'S20', says: 'There is no exception for addresses, extensions or a missing Origin.' },
  { id: 'S21', says: 'A form or a beacon cannot write: writes need our content types.' },
  { id: 'S24', says: 'Nothing happens because of what stands in an address.' },
  { id: 'S25', says: 'Output opens no address but those of allowed schemes, and shows where a link leads.' },
];

/** Rules of the terminal stream, from the program to the screen. */
const stream: Requirement[] = [
  {
    id: 'stream:offsets',
    says: 'A snapshot names the offset N of the program’s bytes and the raw bytes go on at N: no gap, no overlap.',
  },
  { id: 'stream:snapshot-modes', says: 'A snapshot brings back every mode, one table row each.' },
  { id: 'stream:one-answer', says: 'The pty host answers what a program asks its terminal; viewers are silent.' },
  { id: 'stream:one-size', says: 'A PTY has one size: that of the viewer that typed or resized last.' },
  {
    id: 'stream:input-once',
    says: 'A piece of input that is repeated after a broken connection or a new server is written once.',
  },
  { id: 'stream:paste-whole', says: 'Between the pieces of one bracketed paste nothing else is written.' },
  {
    id: 'stream:skip-ahead',
    says: 'A viewer that lags gets the screen as it is now, then a snapshot; what waits for it stays bounded.',
  },
  { id: 'stream:slow-alone', says: 'A slow viewer slows neither the program nor another viewer.' },
  {
    id: 'stream:skip-exact',
    says: 'A screen that skipped lines nobody could have seen equals one that parsed every byte.',
  },
  { id: 'stream:hidden', says: 'A hidden viewer is sent nothing and is complete when it is shown again.' },
  { id: 'stream:last-output', says: 'A program that ends at once loses none of its last output.' },
  { id: 'stream:close', says: 'Closing ends the whole session id after a grace time and lists survivors.' },
  {
    id: 'stream:restart',
    says: 'An ended session starts again under the same id and keeps its screen and scrollback.',
  },
];

/** The pty host and the journal: what survives. */
const survival: Requirement[] = [
  {
    id: 'host:adopt',
    says: 'A killed server’s successor adopts the pty host; no session ends and nothing runs twice.',
  },
  { id: 'host:copy', says: 'The pty host runs from a versioned copy in the data folder.' },
  { id: 'host:additive', says: 'An unknown method, event or key of the protocol is no failure.' },
  { id: 'host:mismatch', says: 'A pty host that cannot be talked to is named in the page and not killed.' },
  { id: 'host:lonely', says: 'A pty host without sessions and without a server ends by itself.' },
  { id: 'host:private', says: 'The pty host’s socket is private, and a malformed frame ends only its own connection.' },
  { id: 'journal:exact', says: 'The journal’s bytes are the program’s own, over kills of the server under a flood.' },
  {
    id: 'journal:bounded',
    says: 'The journal stays within its bound, is private, and goes with the card or its switch.',
  },
  {
    id: 'journal:restore',
    says: 'After the pty host died, the last screen and scrollback come back from the journal.',
  },
  { id: 'journal:failure', says: 'A journal that cannot be written says so on its card and harms nothing else.' },
];

/** The canvas and what lies on it. */
const canvas: Requirement[] = [
  { id: 'canvas:one-layout', says: 'Every tab sees the same layout at once and keeps its own viewport.' },
  { id: 'canvas:corrupt-record', says: 'A corrupt record hides no other and is never overwritten.' },
  {
    id: 'canvas:summary',
    says: 'Below zoom 0.5 a card is a readable summary whose output is not streamed, and it comes back complete.',
  },
  { id: 'canvas:undo', says: 'Changes of the layout can be undone and redone.' },
  { id: 'canvas:keys', says: 'With a terminal focused only the listed chords are ours; all else goes to the program.' },
  { id: 'canvas:accessible', says: 'axe finds nothing on any page.' },
  {
    id: 'canvas:no-leak',
    says: 'Mounting and unmounting a terminal again and again leaves nothing behind in the page.',
  },
];

export const requirements: readonly Requirement[] = [...pains, ...security, ...stream, ...survival, ...canvas];
