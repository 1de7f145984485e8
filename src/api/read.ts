// What a reader asks for, parsed: no "" and no "0" travels below this line (HOUSE, key interfaces).

/** From which moment an answer may come; the cells of the specification's get and list tables. */
export type ReadAt =
  /** A revision known to be current at some moment after the request arrived. */
  | { readonly kind: 'latest' }
  /** Whatever is at hand. */
  | { readonly kind: 'any' }
  /** The newest at hand, once that is not older than the revision. */
  | { readonly kind: 'notOlderThan'; readonly revision: number }
  /** Exactly as of the revision. */
  | { readonly kind: 'exact'; readonly revision: number }
