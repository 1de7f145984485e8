// The parsed selectors of an access check. A malformed selector is left out. Without it the check needs more rights, never fewer (P-105).
import { parseFieldSelector } from '../api/selector-fields.ts'
import { parseLabelSelector } from '../api/selector-text.ts'
import type { AskedSelectors } from './authorizer.ts'

/** An empty text is not a selector. */
export function askedSelectors(fields: string, labels: string): AskedSelectors {
  return {
    fields: read(fields, (text) => parseFieldSelector(text).terms),
    labels: read(labels, (text) => parseLabelSelector(text).requirements),
  }
}

function read<T>(text: string, parse: (text: string) => readonly T[]): readonly T[] | undefined {
  if (text === '') return undefined
  try {
    return parse(text)
  } catch {
    return undefined
  }
}
