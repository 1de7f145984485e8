import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ValueMap } from '../../../src/api/value.ts'
import { canonicalJson } from '../../../src/codec/json-encode.ts'
import { type JsonDocument, parseJsonDocument, parseJsonDocumentInTurns } from '../../../src/codec/json-parse.ts'
import { canonicalJsonInTurns } from '../../../src/codec/json-pieces.ts'
import { Turns } from '../../../src/lib/turns.ts'
import { decodeInTurns, decodeObject } from '../../../src/schema/decode.ts'
import { inOrder, inOrderInTurns } from '../../../src/schema/member-order.ts'
import { arbitraryObject } from '../../fakes/arbitrary-object.ts'
import { BUILT_IN, kindOf } from '../../fakes/built-in-kinds.ts'
import { lengthened } from '../../fakes/lengthened.ts'

const turns = new Turns()
const KINDS = [...BUILT_IN.kinds()].filter(({ isList }) => !isList)
const many = <T>(size: number, make: (i: number) => T): T[] => Array.from({ length: size }, (_, i) => make(i))

describe('large objects', () => {
  it('are decoded, put in order and written in turns as they are at once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...KINDS), fc.nat(), async (kind, seed) => {
        const [object] = fc.sample(arbitraryObject(kind), { numRuns: 1, seed })
        const large = lengthened(object!) as ValueMap
        const { value, problems } = decodeObject(large, kind.shape)
        const turned = await decodeInTurns(large, kind.shape, { turns })
        expect(turned).toEqual({ value, problems })
        const ordered = inOrder(value, kind.shape)
        const orderedInTurns = await inOrderInTurns(turned.value, kind.shape, { turns, known: undefined })
        const text = canonicalJson(ordered, kind)
        expect(canonicalJson(orderedInTurns, kind)).toBe(text)
        expect(await canonicalJsonInTurns(orderedInTurns, kind, turns)).toBe(text)
      }),
      { numRuns: 60 },
    )
  })

  it('are refused for the first thing that does not fit, and told of problems in order', async () => {
    const pod = kindOf('Pod')
    const container = (i: number): object => ({
      name: `c${i}`,
      image: 'i',
      odd: 1,
      env: many(40, (j) => ({ name: `e${j}` })),
    })
    const good = {
      odd: 1,
      spec: { containers: many(50, container), odd: 1, volumes: many(50, (i) => ({ name: `v${i}` })) },
      status: { odd: 2 },
    }
    const read = async (source: object): Promise<unknown> => {
      const [atOnce, inTurns] = await Promise.allSettled([
        Promise.resolve().then(() => decodeObject(source as ValueMap, pod.shape)),
        decodeInTurns(source as ValueMap, pod.shape, { turns }),
      ])
      expect(inTurns).toEqual(atOnce)
      return atOnce
    }
    await read(good)
    await read({
      ...good,
      spec: { ...good.spec, containers: good.spec.containers.with(30, { name: 5 }), volumes: [7] },
    })
    await read({
      ...good,
      metadata: { labels: Object.fromEntries(many(100, (i) => [`k${i}`, i === 60 ? null : 'v'])) },
    })
    await read({ ...good, metadata: { labels: Object.fromEntries(many(100, (i) => [`k${i}`, i === 60 ? {} : 'v'])) } })
  })
})

describe('large documents of JSON', () => {
  it.each<[string, string]>([
    ['plain ones', JSON.stringify(many(200, (i) => ({ [`k${i}`]: many(40, (j) => ({ j })) })))],
    ['with fractions', JSON.stringify(many(200, (i) => ({ a: i + 0.5 })))],
    ['with members that repeat', `{"a":{${'"b":{},'.repeat(100)}"c":1}}`],
    ['that are none', `[${'{},'.repeat(100)}`],
    ['with numbers beyond any', `[1e999,${'{},'.repeat(100)}1]`],
    ['with bytes that are no characters', `["\ufffd",${'{},'.repeat(100)}1]`],
  ])('are read in turns as they are at once: %s', async (_name, text) => {
    const bytes = Buffer.from(text.replace('\ufffd', '\xe9'), text.includes('\ufffd') ? 'latin1' : 'utf8')
    const shown = async (read: () => JsonDocument | Promise<JsonDocument>): Promise<unknown> => {
      try {
        const { value, source, duplicates } = await read()
        return { value, source, duplicates }
      } catch (error) {
        return String(error)
      }
    }
    const inTurns = await shown(() => parseJsonDocumentInTurns(bytes, Number.POSITIVE_INFINITY, turns))
    expect(inTurns).toEqual(await shown(() => parseJsonDocument(bytes)))
  })
})
