import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { requestStages, type StageOptions } from '../../src/http/stages.ts'
import { openWorld } from '../rigs/api-world.ts'

const top = path.join(import.meta.dirname, '../..')
const [, section = ''] = readFileSync(path.join(top, 'src/README.md'), 'utf8').split('\n## Walks\n')
const walks = (section.split('\n## ')[0] ?? '').split(/\n- (?=\*\*)/).slice(1)

interface Step {
  readonly file: string
  readonly name: string
}

/** The files of a walk, each with the function that is named behind it. */
function stepsOf(walk: string): readonly Step[] {
  return Array.from(walk.matchAll(/`([\w/-]+\.ts)`(?:\s\(`([\w.]+)`)?/g), ([, file = '', name = '']) => ({
    file,
    name,
  }))
}

/** The line that declares a function, a method or a constant. */
function declarationOf(name: string): RegExp {
  return new RegExp(String.raw`^ *(?:export |async |function\*? |const |readonly )*${name}\b *(?:<[^>]*>)?[(:=]`, 'm')
}

describe('the walks in src/README.md', () => {
  it.each(walks.flatMap(stepsOf).filter(({ name }) => name !== ''))('$file has $name', ({ file, name }) => {
    const declared = name.split('.').at(-1)
    expect(readFileSync(path.join(top, 'src', file), 'utf8')).toMatch(
      new RegExp(
        String.raw`^\s*(?:export |async |function\*? |const |readonly )*${declared}\b *(?:<[^>]*>)?[(:=]`,
        'm',
      ),
    )
  })

  it('a GET passes through every function of its walk', async () => {
    const steps = stepsOf(walks.find((walk) => walk.startsWith('**A GET**'))!)
    expect(steps.length).toBeGreaterThan(8)
    const world = await openWorld()
    const configMaps = world.resource('configmaps')
    await world.create(configMaps, { metadata: { name: 'a' } })
    const called = await functionsCalledBy(() =>
      world.send({ method: 'GET', path: '/api/v1/namespaces/ns/configmaps/a' }),
    )
    // Not the list itself, but each of its stages that a server with default flags has.
    const missing = steps.filter(({ file, name }) => name !== 'requestStages' && !called(file, name))
    expect(missing).toEqual([])
    for (const file of ['authentication', 'authorization', 'flow-control', 'faults', 'impersonation'])
      expect(called(`http/filters/${file}.ts`, ''), file).toBe(true)
  })
})

it('the stages of a request are in the order that decides which error wins', () => {
  const stages = requestStages({ allowedOrigins: [], strictTransport: [], authorizer: {} } as unknown as StageOptions)
  expect(Object.keys(stages)).toEqual(['beforeAuthentication', 'authentication', 'afterAuthentication', 'router'])
  const after = Object.keys(stages.afterAuthentication)
  const decisive = ['audit', 'holdWhileStarting', 'impersonation', 'flowControl', 'authorization', 'injectFaults']
  expect(after.filter((name) => decisive.includes(name))).toEqual(decisive)
  expect(after.at(-1)).toBe('proxyAggregated')
})

/** Tells of a function of a file in src whether it, or a function within it, was called meanwhile. */
async function functionsCalledBy(run: () => Promise<unknown>): Promise<(file: string, name: string) => boolean> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await run()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  await session.post('Profiler.stopPreciseCoverage')
  session.disconnect()
  return (file, name) => {
    const place = path.join(top, 'src', file)
    const script = result.find(({ url }) => url.startsWith('file:') && fileURLToPath(url) === place)
    const { start, end } = spanOf(readFileSync(place, 'utf8'), name)
    const called = (script?.functions ?? []).filter(({ ranges }) => ranges[0]!.count > 0)
    return called.some(({ ranges: [range] }) => range!.startOffset >= start && range!.endOffset <= end)
  }
}

/** From the line that declares it to its last brace; without a name, the whole file. Node strips types in place, so that offsets stay. */
function spanOf(text: string, name: string): { readonly start: number; readonly end: number } {
  if (name === '') return { start: 1, end: text.length }
  const declared = declarationOf(name).exec(text)!
  const indent = /^ */.exec(declared[0])![0]
  return { start: declared.index, end: text.indexOf(`\n${indent}}`, declared.index) + indent.length + 2 }
}
