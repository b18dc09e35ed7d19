export { actionFor, installKeys, suspendKeys } from './dispatch';
export { browserKeeps, canonicalChord, chordLabel, chordOf, chordsOf, conflictsOf, isMac } from './keys';
export { allActions, onActionFailed, registerActions, runAction, useActions } from './registry';
export type { Action } from './types';
