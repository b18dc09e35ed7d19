import { allActions, chordLabel, chordsOf, isMac } from '../actions';
import { useSettings } from '../connection';

/** Gives the first chord of an action as a person reads it; nothing if it has none. */
export function useChords(): (id: string) => string | undefined {
  const chosen = useSettings((state) => state.settings.keys);
  return (id) => {
    const action = allActions().find((one) => one.id === id);
    const chord = action && chordsOf(action, chosen)[0];
    return chord && chordLabel(chord, isMac());
  };
}
