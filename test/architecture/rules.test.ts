// Each rule against a planted violation, and against what is close to it and allowed.
import { describe, expect, it } from 'vitest'
import {
  checkComments,
  checkExports,
  checkLength,
  checkMentions,
  checkNames,
  checkState,
  checkTests,
  checkTime,
  checkTypedReads,
  checkUnpromised,
} from './form-rules.ts'
import {
  checkCycles,
  checkDoors,
  checkFolders,
  checkHouse,
  checkLayers,
  checkPackages,
  checkReached,
  type Violation,
} from './layer-rules.ts'
import { MAX_SERVER_FILES, MOST_UNTYPED_FILES } from './rooms.ts'
import { parseSource, type SourceFile } from './source.ts'

type Rule = (files: readonly SourceFile[]) => Violation[]
type Files = Readonly<Record<string, string>>

function apply(rule: Rule, files: Files): Violation[] {
  return rule(Object.entries(files).map(([path, text]) => parseSource(path, text)))
}

const UNTYPED = Object.fromEntries(
  Array.from({ length: MOST_UNTYPED_FILES + 1 }, (_, i) => [
    `src/kinds/a${i}.ts`,
    `import { textOrEmpty } from '../api/members.ts'`,
  ]),
)

const caught: readonly (readonly [string, Rule, Files, string])[] = [
  [
    'an import from a higher room',
    checkLayers,
    { 'src/api/a.ts': `import { x } from '../kv/kv.ts'` },
    'api may not import kv',
  ],
  [
    'a type import from a higher room',
    checkLayers,
    { 'src/kv/a.ts': `import type { X } from '../api/x.ts'` },
    'kv may not',
  ],
  [
    'an import type from a higher room',
    checkLayers,
    { 'src/kv/a.ts': `type X = import('../api/x.ts').X` },
    'kv may not',
  ],
  [
    'a lazy import from a higher room',
    checkLayers,
    { 'src/lib/a.ts': `const x = await import('../api/x.ts')` },
    'lib may not',
  ],
  ['one more file that reads fields by name', checkTypedReads, UNTYPED, 'files read fields by name'],
  ['a re-export from a higher room', checkLayers, { 'src/lib/a.ts': `export { x } from '../api/x.ts'` }, 'lib may not'],
  ['a room reaching for the command line', checkLayers, { 'src/server/a.ts': `import '../main.ts'` }, 'server may not'],
  [
    'the command line reaching past server',
    checkLayers,
    { 'src/main.ts': `import '../src/kv/kv.ts'` },
    'may not import kv',
  ],
  ['a room that is not in the plan', checkLayers, { 'src/attic/a.ts': `` }, 'stands in no room'],
  ['a file outside of the rooms', checkLayers, { 'src/extra.ts': `` }, 'stands in no room'],
  ['an import from the tests', checkLayers, { 'src/lib/a.ts': `import '../../test/x.ts'` }, 'outside of src/'],
  ['a room without its front door', checkDoors, { 'src/kv/range.ts': `` }, 'has no front door kv.ts'],
  ['a way in beside the front door', checkDoors, { 'src/server/a.ts': `import '../kv/range.ts'` }, 'not a door'],
  ['a way into a folder of a room', checkDoors, { 'src/server/a.ts': `import '../codec/json/scan.ts'` }, 'not a door'],
  ...['schema', 'codec', 'registry', 'admission'].map((engine): readonly [string, Rule, Files, string] => [
    `a kind that ${engine} knows`,
    checkLayers,
    { [`src/${engine}/a.ts`]: `import { kindOf } from '../kinds/kinds.ts'` },
    `${engine} may not import kinds`,
  ]),
  [
    'a way to a kind beside the table of kinds',
    checkDoors,
    { 'src/server/a.ts': `import '../kinds/apps/apps.ts'` },
    'not a door',
  ],
  [
    'a way to a kind that is a folder',
    checkDoors,
    { 'src/server/a.ts': `import '../kinds/core/pod/pod.ts'` },
    'not a door',
  ],
  [
    'a kind that needs one of another group',
    checkFolders,
    { 'src/kinds/apps/a.ts': `import type { Pod } from '../core/pod/pod.ts'` },
    'another folder and not shared',
  ],
  [
    'something shared that needs a kind',
    checkFolders,
    { 'src/kinds/shared/pod-spec/a.ts': `import '../../core/pod/pod.ts'` },
    'another folder and not shared',
  ],
  ['a member of others', checkUnpromised, { 'src/wire/a.ts': `socket._read(0)` }, 'belongs to runtime'],
  [
    'a flag of V8 that is changed',
    checkUnpromised,
    { 'src/server/a.ts': `setFlagsFromString('--x')` },
    'belongs to runtime',
  ],
  ['the time of day', checkTime, { 'src/registry/a.ts': `const now = Date.now()` }, 'has Date.now and not the clock'],
  ['a date of now', checkTime, { 'src/kinds/a.ts': `const now = new Date().toISOString()` }, 'has new Date()'],
  ['a timer', checkTime, { 'src/controllers/a.ts': `setTimeout(work, 5)` }, 'has setTimeout'],
  [
    'a timer by another name',
    checkTime,
    { 'src/controllers/a.ts': `import { setTimeout as sleep } from 'node:timers/promises'` },
    'has setTimeout',
  ],
  ['a timer that repeats', checkTime, { 'src/cache/a.ts': `setInterval(work, 5)` }, 'has setInterval'],
  ["the system's clock", checkTime, { 'src/controllers/a.ts': `pause(systemClock, 5, signal)` }, 'has systemClock'],
  ["a program's clock", checkTime, { 'src/controllers/a.ts': `pause(programClock, 5, signal)` }, 'has programClock'],
  ['an id of chance', checkTime, { 'src/registry/a.ts': `const uid = randomUUID()` }, 'has randomUUID'],
  ['a number of chance', checkTime, { 'src/kinds/a.ts': `const port = Math.random()` }, 'has Math.random'],
  ['a package in the wrong room', checkPackages, { 'src/api/a.ts': `import 'ws'` }, 'belongs to http'],
  [
    'a part of a package in the wrong room',
    checkPackages,
    { 'src/api/a.ts': `import 'pino/file.js'` },
    'belongs to telemetry',
  ],
  ['a file that imports itself', checkCycles, { 'src/lib/a.ts': `import './a.ts'` }, 'src/lib/a.ts: import each other'],
  [
    'a cycle over type imports and rooms',
    checkCycles,
    {
      'src/kv/a.ts': `import type { B } from './b.ts'`,
      'src/kv/b.ts': `import '../lib/c.ts'`,
      'src/lib/c.ts': `import '../kv/a.ts'`,
    },
    'src/kv/a.ts ⇄ src/kv/b.ts ⇄ src/lib/c.ts',
  ],
  [
    'a file that nothing needs',
    checkReached,
    { 'src/main.ts': `import './a.ts'`, 'src/a.ts': ``, 'src/b.ts': `import './a.ts'` },
    'src/b.ts: is needed by nothing',
  ],
  ['a file that is too long', checkLength, { 'src/lib/a.ts': 'a\n'.repeat(401) }, 'has 401 lines'],
  ['a name in camel case', checkNames, { 'src/lib/ringBuffer.ts': `` }, 'not kebab-case'],
  ['a name that says nothing', checkNames, { 'src/lib/string-utils.ts': `` }, '"utils" does not say'],
  ['a folder that says nothing', checkNames, { 'src/helpers/ring.ts': `` }, '"helpers" does not say'],
  ['an index file', checkNames, { 'src/lib/index.ts': `` }, 'is named index'],
  ['a file that only passes on', checkExports, { 'src/lib/a.ts': `export { x } from './x.ts'` }, 'is a barrel'],
  ['passing on types', checkExports, { 'src/lib/a.ts': `export type { X } from './x.ts'` }, 'is a barrel'],
  [
    'an export of everything',
    checkExports,
    { 'src/lib/a.ts': `export * from './x.ts'\nexport const y = 1` },
    'is a barrel',
  ],
  ['a default export', checkExports, { 'src/lib/a.ts': `export default 1` }, 'default export'],
  ['a default function', checkExports, { 'src/lib/a.ts': `export default function f() {}` }, 'default export'],
  ['a module-level variable', checkState, { 'src/lib/a.ts': `let count = 0` }, 'count is a module-level variable'],
  ['an exported variable', checkState, { 'src/lib/a.ts': `export let count = 0` }, 'count is a module-level variable'],
  [
    'a module-level map',
    checkState,
    { 'src/lib/a.ts': `const seen = new Map<string, string>()` },
    'seen is module-level',
  ],
  [
    'a map declared changeable',
    checkState,
    { 'src/lib/a.ts': `const seen: Set<string> = new Set()` },
    'seen is module-level',
  ],
  ['a module-level cache', checkState, { 'src/lib/a.ts': `const memo = new WeakMap()` }, 'memo is module-level'],
  ['a changeable list', checkState, { 'src/lib/a.ts': `const all: string[] = []` }, 'all is module-level'],
  ['a changeable record', checkState, { 'src/lib/a.ts': `const all = {}` }, 'all is module-level'],
  ['a regular expression that remembers', checkState, { 'src/lib/a.ts': `const word = /a/g` }, 'word is module-level'],
  [
    'a static member that can change',
    checkState,
    { 'src/lib/a.ts': `export class A { static n = 0 }` },
    'static n can change',
  ],
  ['a file without an opening line', checkComments, { 'src/lib/a.ts': `export const a = 1` }, 'does not open'],
  ['a silenced compiler', checkComments, { 'src/lib/a.ts': `// A.\n// @ts-ignore\nf(1)` }, '@ts-ignore'],
  ['work put off', checkComments, { 'src/lib/a.ts': `// A.\n// TODO more` }, 'TODO'],
  ['a test left out', checkTests, { 'test/unit/a.test.ts': `it.skip('x', () => {})` }, 'leaves tests out'],
]

const allowed: readonly (readonly [string, Rule, Files])[] = [
  ['an import from a lower room', checkLayers, { 'src/api/a.ts': `import '../lib/x.ts'` }],
  ['an import within the room', checkLayers, { 'src/api/a.ts': `import './x.ts'` }],
  ['a package', checkLayers, { 'src/api/a.ts': `import 'node:path'` }],
  ['the front door', checkDoors, { 'src/kv/kv.ts': ``, 'src/server/a.ts': `import '../kv/kv.ts'` }],
  ['the front door of a folder', checkDoors, { 'src/server/a.ts': `import '../kv/etcd/etcd.ts'` }],
  [
    'what the room of kinds shares',
    checkFolders,
    { 'src/kinds/apps/a.ts': `import '../shared/scale.ts'\nimport '../kind.ts'` },
  ],
  ['a kind of the same group', checkFolders, { 'src/kinds/core/a.ts': `import './pod/pod.ts'` }],
  ['the table of kinds', checkFolders, { 'src/kinds/kinds.ts': `import './apps/a.ts'\nimport './core/b.ts'` }],
  ['a word of a vocabulary', checkDoors, { 'src/kv/kv.ts': `import '../lib/errors.ts'` }],
  ['a member of others in its room', checkUnpromised, { 'src/lib/runtime/a.ts': `socket._read(0)` }],
  ['a date of something', checkTime, { 'src/kinds/a.ts': `new Date(milliseconds).toISOString()` }],
  ['a limit of a socket', checkTime, { 'src/kinds/a.ts': `socket.setTimeout(5)` }],
  ['a timer where sockets are', checkTime, { 'src/wire/a.ts': `setTimeout(close, 5)` }],
  ['a secret', checkTime, { 'src/auth/a.ts': `randomBytes(32)` }],
  ['a package in its room', checkPackages, { 'src/http/a.ts': `import 'ws'` }],
  [
    'two files that import a third',
    checkCycles,
    { 'src/lib/a.ts': `import './c.ts'`, 'src/lib/b.ts': `import './c.ts'\nimport './a.ts'`, 'src/lib/c.ts': `` },
  ],
  [
    'files that are needed by way of others',
    checkReached,
    { 'src/main.ts': `await import('./a.ts')`, 'src/a.ts': `import type { B } from './b.ts'`, 'src/b.ts': `` },
  ],
  ['a file of the greatest length', checkLength, { 'src/lib/a.ts': 'a\n'.repeat(400) }],
  ['the library’s door', checkExports, { 'src/index.ts': `export { startServer } from './server/server.ts'` }],
  ['a re-export beside code', checkExports, { 'src/lib/a.ts': `export { x } from './x.ts'\nexport const y = 1` }],
  [
    'a table',
    checkState,
    { 'src/lib/a.ts': `const a = { x: 1 } as const satisfies T\nconst b: readonly string[] = ['x']` },
  ],
  [
    'a map that is only read',
    checkState,
    { 'src/lib/a.ts': `export const a: ReadonlyMap<string, number> = new Map([['x', 1]])` },
  ],
  [
    'a record of a type of ours',
    checkState,
    { 'src/lib/a.ts': `export const a: Room = { x: 1 }\nconst b = Object.freeze({ x: 1 })` },
  ],
  ['a constant of a class', checkState, { 'src/lib/a.ts': `export class A { static readonly n = 0; m = 0 }` }],
  ['a variable in a function', checkState, { 'src/lib/a.ts': `export function f() { let n = 0; return n++ }` }],
  [
    'a command that opens with its purpose',
    checkComments,
    { 'src/main.ts': `#!/usr/bin/env node\n// The command line.` },
  ],
]

describe('the rules of the house', () => {
  it.each(caught)('catch %s', (_name, rule, files, text) => {
    expect(apply(rule, files)).toContainEqual(expect.stringContaining(text))
  })

  it.each(allowed)('allow %s', (_name, rule, files) => {
    expect(apply(rule, files)).toEqual([])
  })
})

/** Its name in one piece would be found in this file. */
const GONE = ['gone', 'ts'].join('.')

describe('files that comments name', () => {
  const mentions = (text: string) => checkMentions([parseSource('src/a.ts', text)], ['src/kv/kv.ts', 'src/a.ts'])

  it.each([
    '// See `kv.ts`.',
    '/** As in `kv/kv.ts` and src/kv/kv.ts. */',
    `const text = '${GONE}'`,
    `// https://x.io/${GONE}`,
  ])('finds nothing in %s', (text) => expect(mentions(text)).toEqual([]))

  it.each([
    `// See \`${GONE}\`.`,
    `/**\n * See store/${GONE}.\n */`,
    `const a = 1 // as in ${GONE}`,
    `// lib/${['kv', 'ts'].join('.')}`,
  ])('catches %s', (text) => expect(mentions(text)).toHaveLength(1))
})

describe('the size of the house', () => {
  it('catches a room too many', () => {
    const rooms = Object.fromEntries(Array.from({ length: 34 }, (_, i) => [`room${i}`, { mayImport: [] }]))
    expect(checkHouse([], rooms)).toEqual(['there are 34 rooms, more than 33'])
  })

  it('catches rooms that import each other', () => {
    expect(checkHouse([], { a: { mayImport: ['b'] }, b: { mayImport: ['a'] } })).toEqual(['a: stands before b'])
  })

  it('catches a composition that has become a room of everything', () => {
    const files = Array.from({ length: MAX_SERVER_FILES + 1 }, (_, i) => parseSource(`src/server/a${i}.ts`, ''))
    expect(checkHouse(files, {})).toEqual(['src/server: has 36 files, more than 35'])
    expect(checkHouse(files.slice(1), {})).toEqual([])
  })
})
