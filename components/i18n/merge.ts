export interface MessageTree {
  [key: string]: string | MessageTree;
}

/** Both trees in one; where both have a text, the second wins. */
export function mergeMessages(base: MessageTree, more: MessageTree): MessageTree {
  const merged: MessageTree = { ...base };
  for (const [key, value] of Object.entries(more)) {
    const known = merged[key];
    merged[key] = typeof known === 'object' && typeof value === 'object' ? mergeMessages(known, value) : value;
  }
  return merged;
}

/** "a.b.c" of every text. */
export function messageKeys(tree: MessageTree, prefix = ''): string[] {
  return Object.entries(tree).flatMap(([key, value]) =>
    typeof value === 'string' ? [prefix + key] : messageKeys(value, `${prefix}${key}.`),
  );
}

export function messageAt(tree: MessageTree, key: string): string | undefined {
  let at: string | MessageTree | undefined = tree;
  for (const part of key.split('.')) at = typeof at === 'object' ? at[part] : undefined;
  return typeof at === 'string' ? at : undefined;
}
