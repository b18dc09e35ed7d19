export { Closers } from './closers';
export { type DataFolders, dataFolders, defaultDataDir, prepareDataFolders } from './data-dir';
export { removeInstance, runningInstance, writeInstance } from './instance-file';
export { acquireLock } from './lock';
export { openLog, redactedPaths } from './log';
export { PortBook, randomPort } from './ports';
export { writePrivateFile } from './private-file';
export { processStartTime } from './process-time';
export { environmentBeforeNpm, userEnvironment } from './user-env';
