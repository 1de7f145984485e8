// Mutants that nothing but the time or the memory that is taken could tell from the code as it is: looked at one by one, they are
// not put to the tests again.
import type { Mutant } from './mutants.ts'

export interface EquivalentMutant {
  readonly file: string
  /** The whole line, since its number changes. */
  readonly line: string
  readonly original: string
  readonly replacement: string
  readonly why: string
}

const ONLY_REMEMBERED = 'what is not remembered is found again, the same'

export const EQUIVALENT: readonly EquivalentMutant[] = [
  {
    file: 'src/patch/field-set-memo.ts',
    line: 'if (known !== undefined) this.#byRecord.set(fields, known)',
    original: 'this.#byRecord.set(fields, known)',
    replacement: ';',
    why: ONLY_REMEMBERED,
  },
  {
    file: 'src/patch/value-parts.ts',
    line: "return typeof value === 'object' && value !== null ? new Parts().of(shape, value) : EMPTY_SET",
    original: "typeof value === 'object' && value !== null",
    replacement: "((typeof value === 'object') || (value !== null))",
    why: 'what has no parts has none in the long way either',
  },
  {
    file: 'src/patch/json-patch.ts',
    line: 'if (moved === undefined || steps.length === 0 || source.length === 0) return fail()',
    original: 'moved === undefined || steps.length === 0 || source.length === 0',
    replacement: '((moved === undefined || steps.length === 0) && (source.length === 0))',
    why: 'removing and inserting refuse each of them too, and the patch is refused in the same words',
  },
  {
    file: 'src/registry/deletion.ts',
    line: 'ignoreReadErrors: false,',
    original: 'false',
    replacement: 'true',
    why: 'it is asked of what a client sends, never of what the server itself deletes by',
  },
  {
    file: 'src/cache/cached-watch.ts',
    line: 'const isPlaced = namespace !== undefined || !resource.namespaced',
    original: 'namespace !== undefined || !resource.namespaced',
    replacement: '((namespace !== undefined) && (!resource.namespaced))',
    why: 'a watcher that is offered more than its own selects from it',
  },
  {
    file: 'src/cache/measures.ts',
    line: 'this.#types.set(key, made)',
    original: 'this.#types.set(key, made)',
    replacement: ';',
    why: ONLY_REMEMBERED,
  },
  {
    file: 'src/cache/watcher-index.ts',
    line: 'if (this.#keys.size > 0) this.#keys.get(key)?.forEach(tell)',
    original: 'this.#keys.size > 0',
    replacement: '((this.#keys.size) >= (0))',
    why: 'nobody is found in an empty map',
  },
  {
    file: 'src/cache/watcher.ts',
    line: 'if (this.#pending.length > MOST_PENDING) {',
    original: 'this.#pending.length > MOST_PENDING',
    replacement: '((this.#pending.length) >= (MOST_PENDING))',
    why: 'events are dropped one sooner, and reread',
  },
  {
    file: 'src/cache/cached-object.ts',
    line: 'const isBehind = layout.labels.start >= layout.version.end',
    original: 'layout.labels.start >= layout.version.end',
    replacement: '((layout.labels.start) > (layout.version.end))',
    why: 'a label map begins behind its own name, and so never where another member ends',
  },
  {
    file: 'src/cache/revision-queue.ts',
    line: 'if (this.#first >= 64 && this.#first >= this.#all.length / 2) this.#shed([])',
    original: 'this.#shed([])',
    replacement: ';',
    why: 'places are counted from the first that is left, however many empty ones are kept before it',
  },
]

export function isEquivalent(mutant: Mutant, text: string): boolean {
  return EQUIVALENT.some((equivalent) => isSame(equivalent, mutant, text))
}

export function isSame(equivalent: EquivalentMutant, mutant: Mutant, text: string): boolean {
  return (
    equivalent.file === mutant.file &&
    equivalent.replacement === mutant.replacement &&
    equivalent.original === text.slice(mutant.start, mutant.end) &&
    equivalent.line === lineAt(text, mutant.start)
  )
}

function lineAt(text: string, place: number): string {
  const end = text.indexOf('\n', place)
  return text.slice(text.lastIndexOf('\n', place - 1) + 1, end === -1 ? text.length : end).trim()
}
