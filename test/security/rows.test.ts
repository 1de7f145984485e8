// The list of what a server of this kind must not repeat, and of what it is checked for: every row has a test here that bears
// its name.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { floodsBy } from '../corpora/http2-attacks.ts'

const FAULTS: readonly string[] = [
  'CVE-2015-5305 CVE-2016-1905 CVE-2018-1002105 CVE-2019-1002100 CVE-2019-11247 CVE-2019-11248',
  'CVE-2019-11250 CVE-2019-11253 CVE-2019-11254 CVE-2019-16276 CVE-2019-9512 CVE-2019-9515',
  'CVE-2020-8552 CVE-2020-8554 CVE-2020-8559 CVE-2020-8561 CVE-2020-8562 CVE-2020-8563',
  'CVE-2021-25735 CVE-2021-25740 CVE-2021-25743 CVE-2022-3162 CVE-2022-3172 CVE-2022-3294',
  'CVE-2023-2727 CVE-2023-2728 CVE-2023-39325 CVE-2023-44487 CVE-2024-27983 CVE-2024-3177',
  'CVE-2024-37168 CVE-2024-37890 CVE-2025-4563 CVE-2025-5187',
]
  .flatMap((names) => names.split(' '))
  .concat('Prototype pollution', 'ReDoS')

/** Those of HTTP/2 in the last ten years, one of each class at least. */
const FAULTS_OF_HTTP2: readonly string[] = [
  'CVE-2016-1546 CVE-2016-6580 CVE-2016-6581 CVE-2016-8740 CVE-2018-11763 CVE-2018-17189 CVE-2019-9511 CVE-2019-9512',
  'CVE-2019-9513 CVE-2019-9514 CVE-2019-9515 CVE-2019-9516 CVE-2019-9517 CVE-2019-9518 CVE-2020-11080 CVE-2021-21295',
  'CVE-2021-33193 CVE-2022-27664 CVE-2022-41717 CVE-2023-35945 CVE-2023-36478 CVE-2023-39325 CVE-2023-44487 CVE-2023-45288',
  'CVE-2023-45802 CVE-2024-27316 CVE-2024-27983 CVE-2024-28182 CVE-2025-8671',
].flatMap((names) => names.split(' '))

const CHECKS: readonly string[] = [
  ...numbered('1.2', 1, 30),
  ...numbered('2', 1, 7),
  '3.1.1',
  '3.2.1',
  '3.2.2',
  ...numbered('5.1', 1, 13),
]

function numbered(chapter: string, first: number, last: number): readonly string[] {
  return Array.from({ length: last - first + 1 }, (_, i) => `${chapter}.${first + i}`)
}

const titles = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith('.test.ts'))
  .flatMap((name) => [
    ...readFileSync(path.join(import.meta.dirname, name), 'utf8').matchAll(
      /(?:describe|it)(?:\.each)?\(?[^\n]*?['`]((?:CVE|CIS|Prototype|ReDoS)[^'`]*)/g,
    ),
  ])
  .map(([, title]) => title!)
  .concat(Object.keys(floodsBy({})))

/** A title names single rows, and runs of them as in `CIS 1.2.6 to 1.2.8`. */
const checked = new Set(
  titles
    .filter((title) => title.includes('CIS'))
    .flatMap((title) => [
      ...(title.match(/\d+(?:\.\d+)+/g) ?? []),
      ...[...title.matchAll(/((?:\d+\.)+)(\d+) to (?:\d+\.)+(\d+)/g)].flatMap(([, chapter, first, last]) =>
        numbered(chapter!.slice(0, -1), Number(first), Number(last)),
      ),
    ]),
)

it.each([...new Set([...FAULTS, ...FAULTS_OF_HTTP2])])('%s has a test', (name) => {
  expect(titles.filter((title) => title.includes(name))).not.toEqual([])
})

it.each(CHECKS)('CIS %s has a test', (name) => {
  expect(checked).toContain(name)
})
