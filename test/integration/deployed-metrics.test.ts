// What dashboards and alerts ask for, held against what a server tells.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { load } from 'js-yaml'
import { beforeAll, describe, expect, it } from 'vitest'
import { METRICS_DOCUMENT, metricsDocument } from '../architecture/reference-documents.ts'
import { openServer } from '../rigs/running-server.ts'

interface Alerts {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[]
}

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[]
}

const read = (file: string): string => readFileSync(path.join(import.meta.dirname, '../../deploy', file), 'utf8')

const ASKED: readonly (readonly [string, string])[] = [
  ...(load(read('alerts.yaml')) as Alerts).groups.flatMap(({ rules }) =>
    // `up` is of Prometheus itself.
    rules.filter(({ expr }) => !expr.startsWith('up{')).map(({ alert, expr }) => [`the alert ${alert}`, expr] as const),
  ),
  ...(JSON.parse(read('observe/quarterdeck.json')) as Dashboard).panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }) => [`the panel ${title}`, expr] as const),
  ),
]

let families: ReadonlyMap<string, string>
let text: string
let slis: string

beforeAll(async () => {
  await using server = await openServer(['--in-memory'])
  await server.request('/api/v1/pods')
  text = (await server.request('/metrics')).body
  slis = (await server.request('/metrics/slis')).body
  families = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]))
})

it('are listed, each with its help: `make generate` renews the list', () => {
  const there = readFileSync(path.join(import.meta.dirname, '../..', METRICS_DOCUMENT), 'utf8')
  expect(there).toBe(metricsDocument(text + slis))
  expect(there).not.toMatch(/\|  \|$/m)
})

describe.each(ASKED)('%s', (_, expression) => {
  it('asks for metrics that there are, by labels that they have', () => {
    const asked = [...expression.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/))
    const names = [
      ...expression.replaceAll(/(by|without) \([^)]*\)/g, '').matchAll(/\b([a-z]+(?:_[a-z\d]+)+)(?=[{[)]|$| >)/g),
    ].flatMap(([, name = '']) => (/^histogram_quantile$/.test(name) ? [] : [name]))
    expect(names).not.toEqual([])
    for (const name of names) {
      const family = families.has(name) ? name : name.replace(/_(bucket|sum|count)$/, '')
      expect([name, families.get(family)]).toEqual([name, expect.any(String)])
      expect([name, /_(bucket|sum|count)$/.test(name)]).toEqual([name, families.get(family) === 'histogram'])
      const series = new RegExp(`^${name}\\{(.*)\\} `, 'm').exec(text)?.[1]
      if (series === undefined) continue
      const has = [...series.matchAll(/(\w+)="/g)].map(([, label]) => label)
      expect(['instance', ...has]).toEqual(expect.arrayContaining(asked))
    }
  })
})
