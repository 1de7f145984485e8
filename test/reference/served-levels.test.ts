// Discovery, OpenAPI documents, columns and gates of kube-apiserver and of this server at every level: with default flags, with all
// versions, and with all versions and gates. What differs is listed here with its reason.
import { describe, expect, it } from 'vitest'
import { API_LEVELS, type ApiLevel } from '../../src/api/level.ts'
import { openBoth } from '../rigs/beside-reference.ts'
import { differingFacts, servedFacts } from '../rigs/served-facts.ts'

interface Exception {
  readonly what: RegExp
  readonly why: string
}

/** One that no longer differs has to go. */
const EXCEPTIONS: readonly Exception[] = [
  { what: /^gate AllowUnsafeMalformedObjectDeletion: /, why: 'D34' },
  { what: /^gate (?:ManagedFieldsOptOut|ObjectHistory): not expected$/, why: 'gates of ours' },
  {
    what: /scheduling\.(?:k8s\.io\/)?v1alpha2|SchedulingV1alpha2|^group scheduling/,
    why: 'alpha at 1.36 alone: 1.37 has other fields, and converts nothing',
  },
  {
    what: /lifecycle\.(?:k8s\.io|v1alpha1)|LifecycleV1alpha1/,
    why: 'alpha since 1.37: requests of evictions are not served',
  },
]

const ALL_VERSIONS = '--runtime-config=api/all=true'
const SETTINGS: readonly (readonly [string, readonly string[]])[] = [
  ['default flags', []],
  ['all versions', [ALL_VERSIONS]],
  ['all versions and gates', [ALL_VERSIONS, '--feature-gates=AllAlpha=true,AllBeta=true']],
]

const needed = new Set<Exception>()

async function unexplained(level: ApiLevel, flags: readonly string[]): Promise<readonly string[]> {
  await using opened = new AsyncDisposableStack()
  const [theirs, ours] = await openBoth(opened, { level, flags })
  const different = differingFacts(await servedFacts(theirs), await servedFacts(ours))
  return different.filter((line) => {
    const exceptions = EXCEPTIONS.filter(({ what }) => what.test(line))
    for (const exception of exceptions) needed.add(exception)
    return exceptions.length === 0
  })
}

describe.each(API_LEVELS)('at level %s', (level) => {
  it.each(SETTINGS)('everything is served that the reference serves, with %s', async (_, flags) => {
    expect((await unexplained(level, flags)).join('\n')).toBe('')
  })
})

it('every exception is needed', () => {
  expect(EXCEPTIONS.filter((exception) => !needed.has(exception)).map(({ why }) => why)).toEqual([])
})
