// The differences between an object and the object that a test wants, as a text for people.

/**
 * The wanted parts of an object. All other parts may have any value. Records are compared member by member; `undefined` means that the member
 * must be absent. Lists are compared item by item and must have the same length. `expect.any(String)` and the like match values as usual.
 */
export type Wanted<T> = T extends readonly (infer Item)[]
  ? readonly Wanted<Item>[]
  : T extends object
    ? { readonly [K in keyof T]?: Wanted<T[K]> | undefined }
    : T

/** A difference at one place. `path` is like `.spec.containers[0].image`. */
export interface Difference {
  readonly path: string
  readonly wanted: unknown
  readonly seen: unknown
}

interface Matcher {
  asymmetricMatch(value: unknown): boolean
  toAsymmetricMatcher?(): string
}

/** Empty: the object is as wanted. */
export function differences(wanted: unknown, seen: unknown, path = ''): readonly Difference[] {
  if (isMatcher(wanted)) return wanted.asymmetricMatch(seen) ? [] : [{ path, wanted, seen }]
  if (Array.isArray(wanted) && Array.isArray(seen) && wanted.length === seen.length) {
    return wanted.flatMap((item, i) => differences(item, seen[i], `${path}[${i}]`))
  }
  if (isRecord(wanted) && isRecord(seen)) {
    return Object.entries(wanted).flatMap(([name, value]) => differences(value, seen[name], `${path}${step(name)}`))
  }
  return Object.is(wanted, seen) ? [] : [{ path, wanted, seen }]
}

/** The paths at which two versions of an object differ. Members that only one of them has count too. */
export function changedPaths(before: unknown, after: unknown, path = ''): readonly string[] {
  if (!isRecord(before) || !isRecord(after)) return isSame(before, after) ? [] : [path]
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].flatMap((name) => changedPaths(before[name], after[name], `${path}${step(name)}`))
}

function isSame(one: unknown, other: unknown): boolean {
  return differences(one, other).length === 0 && differences(other, one).length === 0
}

/** Three lines for each difference, for at most `most` differences. */
export function formatDifferences(all: readonly Difference[], most = 20): string {
  const shown = all.slice(0, most).map(({ path, wanted, seen }) => {
    return `  ${path === '' ? 'the object' : path}\n    wanted  ${formatValue(wanted)}\n    seen    ${formatValue(seen)}`
  })
  const rest = all.length - most
  return [...shown, ...(rest > 0 ? [`  … and ${rest} more`] : [])].join('\n')
}

const LONGEST_VALUE = 500

function formatValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = isMatcher(value) ? matcherName(value) : JSON.stringify(value)
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text
}

/** `Any<String>` with vitest and jest. */
function matcherName(matcher: Matcher): string {
  return matcher.toAsymmetricMatcher?.() ?? 'something else'
}

function step(name: string): string {
  return /^\w+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isMatcher(value: unknown): value is Matcher {
  return isRecord(value) && typeof value['asymmetricMatch'] === 'function'
}
