/** What the server's end of the connection shares with the pty host: how messages are framed, and who holds the lock. */
export { encodeMessage, FramingError, MessageDecoder, type Received } from './framing';
export { type HostLock, readLock } from './lock';
