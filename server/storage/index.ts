export { hashOf, Operations, operationReused } from './operations';
export type { CorruptRecord, Loaded, Migration, RecordOptions, RecordTable } from './records';
export { DATABASE_FILE, openStorage, type Storage } from './storage';
