// What holds of every apply, whoever applies what: on a schema of its own that has each way of merging.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../src/api/status.ts'
import type { Value, ValueMap } from '../../../src/api/value.ts'
import { isMap } from '../../../src/api/value.ts'
import { FieldSetMemo } from '../../../src/patch/field-set-memo.ts'
import { setOfFields } from '../../../src/patch/field-set.ts'
import { trackApply, trackUpdate } from '../../../src/patch/field-tracking.ts'
import { withoutManagedFields } from '../../../src/api/object-members.ts'
import type { Field, ListShape, MapShape, ObjectShape, Shape } from '../../../src/schema/table.ts'
import { ownersOf } from './apply-script.ts'

const TEXT: Shape = { kind: 'string' }

function object(name: string, members: Readonly<Record<string, Shape>>, more: Partial<ObjectShape> = {}): ObjectShape {
  const fields = Object.entries(members).map(
    ([field, shape]): Field => ({ name: field, shape, required: false, pointer: true, omit: 'empty' }),
  )
  return {
    kind: 'object',
    name,
    fields,
    byName: new Map(fields.map((field) => [field.name, field])),
    mapType: 'granular',
    preserveUnknown: false,
    typeMeta: false,
    wire: undefined,
    ...more,
  }
}

const list = (item: Shape, listType: ListShape['listType'], keys: readonly string[] = []): ListShape => ({
  kind: 'list',
  item,
  listType,
  keys,
})
const map = (value: Shape, mapType: MapShape['mapType'] = 'granular'): MapShape => ({ kind: 'map', value, mapType })

const METADATA = object('Meta', { name: TEXT, uid: TEXT, managedFields: { kind: 'any' } })

function kindOf(spec: Readonly<Record<string, Shape>>): ObjectShape {
  return object('Thing', { metadata: METADATA, spec: object('Spec', spec) }, { typeMeta: true })
}

const ITEM = object('Item', { k: TEXT, a: TEXT, b: TEXT })
const THING = kindOf({
  text: TEXT,
  granular: map(TEXT),
  atomic: map(TEXT, 'atomic'),
  set: list(TEXT, 'set'),
  items: list(ITEM, 'map', ['k']),
  whole: list(TEXT, 'atomic'),
  nested: map(map(TEXT)),
})

/** Fields that are shown where nobody has set them, so that whether somebody has is a matter of what they hold. */
const SHOWN_PIECE = object('Piece', { text: TEXT }, { mapType: 'atomic' })
const ZEROS = object(
  'Thing',
  {
    metadata: METADATA,
    spec: shown(
      object('Spec', {
        text: TEXT,
        number: { kind: 'int32' },
        switch: { kind: 'boolean' },
        amount: { kind: 'quantity' },
        span: { kind: 'duration' },
        piece: shown(SHOWN_PIECE),
        whole: list(TEXT, 'atomic'),
        items: list(ITEM, 'map', ['k']),
        map: map(TEXT),
      }),
    ),
  },
  { typeMeta: true },
)

function shown(shape: ObjectShape): ObjectShape {
  const fields = shape.fields.map((field): Field => ({ ...field, pointer: false, omit: 'never' }))
  return { ...shape, fields, byName: new Map(fields.map((field) => [field.name, field])) }
}

const TYPE = { kind: 'Thing', apiVersion: 'x/v1' }

interface Write {
  readonly who: string
  readonly spec: ValueMap
  readonly verb: 'applies' | 'forces' | 'updates'
}

function write(shape: ObjectShape, live: ValueMap, step: Write, second = 0, sets = new FieldSetMemo()): ValueMap {
  const { who, spec, verb } = step
  const now = `2030-01-01T00:00:${String(second).padStart(2, '0')}Z`
  const versions = { shape: () => shape, convert: (value: ValueMap) => value, sets }
  const request = {
    versions,
    apiVersion: TYPE.apiVersion,
    manager: who,
    subresource: '',
    reset: setOfFields([]),
    now,
    // As the registry puts it where there is nothing.
    live: live === NOTHING ? TYPE : live,
  }
  const sent = { ...TYPE, metadata: { name: 'a' }, ...(Object.keys(spec).length === 0 ? {} : { spec }) }
  const next = verb === 'updates' ? trackUpdate(request, sent) : trackApply(request, sent, verb === 'forces')
  return { ...withoutNulls(next), metadata: { ...(next['metadata'] as ValueMap), uid: 'u' } }
}

/** As it is stored: decoding takes a member that is null away. */
function withoutNulls(value: ValueMap): ValueMap {
  const kept = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(kept.map(([name, member]) => [name, isMap(member) ? withoutNulls(member) : member]))
}

const NOTHING: ValueMap = { ...TYPE, metadata: {} }

/** `sets`: what was seen before; absent: nothing was, at any step. */
function writeAll(shape: ObjectShape, writes: readonly Write[], sets?: FieldSetMemo): ValueMap {
  return writes.reduce<ValueMap>((live, step, index) => {
    try {
      return write(shape, live, step, index, sets)
    } catch (error) {
      if (error instanceof ApiError && error.reason === 'Conflict') return live
      throw error
    }
  }, NOTHING)
}

const text = fc.constantFrom('1', '2', '3')
const key = fc.constantFrom('p', 'q', 'r')
// Never empty: an empty map is a claim to the map itself, an empty list is none at all, and what becomes empty is gone.
const texts = fc.dictionary(key, text, { minKeys: 1, maxKeys: 3 })
const specs = fc.record(
  {
    text,
    granular: texts,
    atomic: texts,
    set: fc.uniqueArray(key, { minLength: 1, maxLength: 3 }),
    items: fc.uniqueArray(fc.record({ k: key, a: text, b: text }, { requiredKeys: ['k'] }), {
      selector: ({ k }) => k,
      minLength: 1,
      maxLength: 3,
    }),
    whole: fc.array(key, { minLength: 1, maxLength: 3 }),
    nested: fc.dictionary(key, texts, { minKeys: 1, maxKeys: 2 }),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<ValueMap>
const who = fc.constantFrom('one', 'two', 'three')
const anyWrite: fc.Arbitrary<Write> = fc.record({
  who,
  spec: specs,
  verb: fc.constantFrom('applies' as const, 'forces' as const, 'updates' as const),
})
const history = fc.array(anyWrite, { maxLength: 5 })
const RUNS = { numRuns: 60 }

/** Lists with an identity compare as sets: their order is the order of whoever came first. */
function unordered(value: Value): Value {
  if (Array.isArray(value)) return value.map(unordered).toSorted((a, b) => (jsonOf(a) < jsonOf(b) ? -1 : 1))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, unordered(member)]))
}

function jsonOf(value: Value): string {
  return JSON.stringify(value)
}

describe('whatever was written before', () => {
  it('the same apply again changes nothing', () => {
    fc.assert(
      fc.property(history, anyWrite, (before, last) => {
        const once = writeAll(THING, [...before, { ...last, verb: 'forces' }])
        expect(write(THING, once, { ...last, verb: 'forces' }, 59)).toEqual(once)
        expect(write(THING, once, { ...last, verb: 'applies' }, 59)).toEqual(once)
      }),
      RUNS,
    )
  })

  it('an update to what is there changes nothing, and takes nothing', () => {
    fc.assert(
      fc.property(history, who, (before, manager) => {
        const live = writeAll(THING, before)
        const spec = (live['spec'] ?? {}) as ValueMap
        expect(ownersOf(write(THING, live, { who: manager, spec, verb: 'updates' }))).toEqual(
          live['spec'] === undefined ? expect.anything() : ownersOf(live),
        )
      }),
      RUNS,
    )
  })

  it('a forced apply leaves everything as it was applied', () => {
    fc.assert(
      fc.property(history, anyWrite, (before, last) => {
        const live = writeAll(THING, [...before, { ...last, verb: 'forces' }])
        const { atomic, whole, text: plain } = last.spec
        const spec = (live['spec'] ?? {}) as ValueMap
        if (plain !== undefined) expect(spec['text']).toBe(plain)
        if (whole !== undefined && (whole as readonly Value[]).length > 0) expect(spec['whole']).toEqual(whole)
        if (atomic !== undefined && Object.keys(atomic as ValueMap).length > 0) expect(spec['atomic']).toEqual(atomic)
        for (const [name, value] of Object.entries((last.spec['granular'] ?? {}) as ValueMap)) {
          expect((spec['granular'] as ValueMap)[name]).toBe(value)
        }
      }),
      RUNS,
    )
  })

  it('an apply that a manager takes back takes with it what nobody else has', () => {
    fc.assert(
      fc.property(history, specs, (before, spec) => {
        const others = before.filter((step) => step.who !== 'new')
        const live = writeAll(THING, others)
        const taken = writeAll(THING, [
          ...others,
          { who: 'new', spec, verb: 'applies' },
          { who: 'new', spec: {}, verb: 'applies' },
        ])
        expect(Object.keys(ownersOf(taken))).not.toContain('new Apply')
        for (const name of ['text', 'whole', 'atomic']) {
          const member = (of: ValueMap): Value | undefined => (of['spec'] as ValueMap | null | undefined)?.[name]
          if (member(live) !== undefined) expect(member(taken)).toEqual(member(live))
        }
      }),
      RUNS,
    )
  })

  it('owners own only what is there', () => {
    fc.assert(
      fc.property(history, (before) => {
        const live = writeAll(THING, before)
        const spec = (live['spec'] ?? {}) as ValueMap
        for (const path of Object.values(ownersOf(live)).flat()) {
          const name = /^\.spec\.granular\.(\w)$/.exec(path)?.[1]
          if (name !== undefined) expect(spec['granular']).toHaveProperty(name)
          const member = /^\.spec\.set\[="(\w)"\]$/.exec(path)?.[1]
          if (member !== undefined) expect(spec['set']).toContain(member)
          const item = /^\.spec\.items\[k="(\w)"\]$/.exec(path)?.[1]
          if (item !== undefined) expect((spec['items'] as readonly ValueMap[]).map(({ k }) => k)).toContain(item)
        }
      }),
      RUNS,
    )
  })
})

describe('sets of fields that were seen before', () => {
  it('say the same as those that are made anew', () => {
    const seen = new FieldSetMemo()
    fc.assert(
      fc.property(history, (writes) => {
        expect(writeAll(THING, writes, seen)).toEqual(writeAll(THING, writes))
      }),
      { numRuns: 200 },
    )
  })

  const created = (spec: ValueMap, sets: FieldSetMemo): Value =>
    ownersOf(write(ZEROS, NOTHING, { who: 'one', spec, verb: 'updates' }, 0, sets))

  it.each<[string, ValueMap, ValueMap]>([
    ['a text and no text', { text: 'long' }, { text: '' }],
    ['a number and zero', { number: 1 }, { number: 0 }],
    ['a switch that is on and one that is off', { switch: true }, { switch: false }],
    ['an amount and none', { amount: '10' }, { amount: '0' }],
    ['a time span and none', { span: '1s' }, { span: '0s' }],
    ['a record in one piece and an empty one', { piece: { text: 'long' } }, { piece: { text: '' } }],
    ['a list and none', { whole: ['p'] }, { whole: null }],
    ['items by their keys', { items: [{ k: 'p' }] }, { items: [{ k: 'q' }] }],
    ['items that are there twice', { items: [{ k: 'p' }] }, { items: [{ k: 'p' }, { k: 'p' }] }],
    ['keys that look like parts of others', { map: { 'a1:b': 'x' } }, { map: { a: 'x', b: 'x' } }],
    ['a map and an empty one', { map: { a: 'x' } }, { map: {} }],
  ])('tell %s apart', (_, one, other) => {
    const seen = new FieldSetMemo()
    for (const spec of [one, other, one]) expect(created(spec, seen)).toEqual(created(spec, new FieldSetMemo()))
  })

  it.each<[string, ValueMap, ValueMap]>([
    ['a number for a text', { text: 'p' }, { text: 1 }],
    ['a map for a text', { text: 'p' }, { text: { p: 'p' } }],
    ['a switch for a number', { number: 1 }, { number: true }],
    ['a text for a list', { whole: ['p'] }, { whole: 'p' }],
    ['a number in a list in one piece', { whole: ['p', 'p'] }, { whole: ['p', 1] }],
    ['a number in a record in one piece', { piece: { text: 'p' } }, { piece: { text: 1 } }],
    ['an unknown field in a record in one piece', { piece: { text: 'p' } }, { piece: { other: 'p' } }],
    ['a switch in a map', { map: { a: 'p' } }, { map: { a: true } }],
    ['an item twice', { items: [{ k: 'p' }, { k: 'q' }] }, { items: [{ k: 'p' }, { k: 'p' }] }],
    ['an item without its key', { items: [{ k: 'p', a: 'p' }] }, { items: [{ a: 'p' }] }],
  ])('do not let pass %s', (_, fitting, misfit) => {
    const seen = new FieldSetMemo()
    const applying = (spec: ValueMap): ValueMap => write(ZEROS, NOTHING, { who: 'one', spec, verb: 'applies' }, 0, seen)
    applying(fitting)
    expect(() => applying(misfit)).toThrow('failed to create typed patch object')
  })
})

describe('what has no schema', () => {
  const FREE = kindOf({ free: { kind: 'any' } })

  it.each<[string, Value, Value, readonly string[], readonly string[]]>([
    ['becomes a text', { a: { b: 'p' } }, { a: 'q' }, [], ['.spec.free.a']],
    ['becomes a list', { a: { b: 'p' } }, { a: ['q'] }, [], ['.spec.free.a']],
    ['becomes a map', { a: 'p' }, { a: { b: 'q' } }, [], ['.spec.free.a', '.spec.free.a.b']],
    ['stays a map', { a: { b: 'p' } }, { a: { b: 'q' } }, ['.spec.free.a'], ['.spec.free.a.b']],
  ])('has no owner left of what it was made of when it %s', (_, before, after, left, taken) => {
    const made = write(FREE, NOTHING, { who: 'one', spec: { free: before }, verb: 'applies' })
    const changed = write(FREE, made, { who: 'two', spec: { free: after }, verb: 'updates' }, 1)
    const owners = ownersOf(changed)
    expect(owners['one Apply'] ?? []).toEqual(left)
    expect(owners['two Update']).toEqual(taken)
  })
})

describe('an update that keeps the list of owners', () => {
  /**
   * The update with the very list that is there and without any, which may take the short way, and with a copy of it, which may
   * not.
   */
  const allWays = (live: ValueMap, manager: string, spec: ValueMap): readonly [ValueMap, ValueMap, ValueMap] => {
    const versions = { shape: () => THING, convert: (value: ValueMap) => value, sets: new FieldSetMemo() }
    const now = '2030-01-01T00:00:30Z'
    const request = {
      versions,
      apiVersion: TYPE.apiVersion,
      manager,
      subresource: '',
      reset: setOfFields([]),
      now,
      live,
    }
    const { managedFields, ...metadata } = live['metadata'] as ValueMap
    const sent = (list: Value | undefined): ValueMap => ({
      ...live,
      metadata: list === undefined ? metadata : { ...metadata, managedFields: list },
      spec,
    })
    const copy = managedFields === undefined ? undefined : structuredClone(managedFields)
    const silent = trackUpdate(request, { ...sent(undefined), metadata: { name: 'a' } })
    return [trackUpdate(request, sent(managedFields)), trackUpdate(request, sent(copy)), silent]
  }
  const listOf = (object: ValueMap): Value | undefined => (object['metadata'] as ValueMap)['managedFields']

  /** Mostly the same fields with other values, so that claims stay or are taken, and rarely come and go. */
  const rewritten = (spec: ValueMap, { p, q }: { readonly p: string; readonly q?: string | undefined }): ValueMap => ({
    ...spec,
    text: p,
    granular: q === undefined ? { p } : { p, q },
  })
  const granular = fc.record({ p: text, q: text }, { requiredKeys: ['p'] })
  const shared = fc.record({ text, granular }, { requiredKeys: ['granular'] }) as fc.Arbitrary<ValueMap>
  const owners = fc.array(
    fc.record({
      who: fc.constantFrom('one', 'two'),
      spec: shared,
      verb: fc.constantFrom('forces' as const, 'updates' as const),
    }),
    { minLength: 1, maxLength: 4 },
  )

  it('leaves the same owners whichever way they are found out', () => {
    fc.assert(
      fc.property(owners, who, granular, (before, manager, values) => {
        const live = writeAll(THING, before)
        const [short, long, silent] = allWays(live, manager, rewritten(live['spec'] as ValueMap, values))
        expect(short).toEqual(long)
        expect(listOf(silent)).toEqual(listOf(long))
      }),
      { numRuns: 300 },
    )
    fc.assert(
      fc.property(history, who, specs, fc.boolean(), (before, manager, spec, keeps) => {
        const live = writeAll(THING, before)
        const kept = keeps ? (live['spec'] as ValueMap | undefined) : {}
        const [short, long, silent] = allWays(live, manager, { ...kept, ...spec })
        expect(short).toEqual(long)
        expect(listOf(silent)).toEqual(listOf(long))
      }),
      { numRuns: 120 },
    )
  })

  it('takes away a claim to what nobody can own, when that is written', () => {
    const live = writeAll(THING, [{ who: 'one', spec: { text: '1' }, verb: 'updates' }])
    const metadata = live['metadata'] as ValueMap
    const [entry] = metadata['managedFields'] as readonly ValueMap[]
    const fieldsV1 = { ...(entry!['fieldsV1'] as ValueMap), 'f:metadata': { 'f:name': {} } }
    const odd = { ...live, metadata: { ...metadata, managedFields: [{ ...entry, fieldsV1 }] } }
    const renamed = { ...odd, metadata: { ...odd.metadata, name: 'b' } }
    const versions = { shape: () => THING, convert: (value: ValueMap) => value, sets: new FieldSetMemo() }
    const request = { versions, apiVersion: TYPE.apiVersion, manager: 'one', subresource: '', reset: setOfFields([]) }
    const updated = trackUpdate({ ...request, now: '2030-01-01T00:00:30Z', live: odd }, renamed as ValueMap)
    expect(ownersOf(updated)).toEqual(ownersOf(live))
  })

  it('writes the claims of the others as they stand, and its own with a new time', () => {
    const live = writeAll(THING, [
      { who: 'one', spec: { text: '1' }, verb: 'updates' },
      { who: 'two', spec: { granular: { p: '1' } }, verb: 'applies' },
    ])
    const entriesOf = (object: ValueMap): readonly ValueMap[] => listOf(object) as readonly ValueMap[]
    const [short, long] = allWays(live, 'one', { ...(live['spec'] as ValueMap), text: '2' })
    expect(short).toEqual(long)
    expect(entriesOf(short)[0]).toBe(entriesOf(live)[0])
    expect(entriesOf(short)[1]).toEqual({ ...entriesOf(live)[1], time: '2030-01-01T00:00:30Z' })
  })
})

describe('appliers alone', () => {
  const applies = fc.array(fc.record({ who, spec: specs, verb: fc.constant('forces' as const) }), { maxLength: 6 })

  it('own together all that is there', () => {
    fc.assert(
      fc.property(applies, (writes) => {
        const live = writeAll(THING, writes)
        const owned = new Set(Object.values(ownersOf(live)).flat())
        const spec = (live['spec'] ?? {}) as ValueMap
        if (spec['text'] !== undefined && spec['text'] !== null) expect(owned).toContain('.spec.text')
        for (const name of Object.keys((spec['granular'] ?? {}) as ValueMap)) {
          expect(owned).toContain(`.spec.granular.${name}`)
        }
        for (const member of (spec['set'] ?? []) as readonly string[])
          expect(owned).toContain(`.spec.set[="${member}"]`)
        for (const item of (spec['items'] ?? []) as readonly ValueMap[]) {
          const at = `.spec.items[k=${jsonOf(item['k']!)}]`
          for (const name of Object.keys(item)) expect(owned).toContain(`${at}.${name}`)
        }
      }),
      RUNS,
    )
  })

  it('that do not meet may come in any order', () => {
    // Each has keys of its own, so that none of them can be in the way of another.
    const mine = (name: string): fc.Arbitrary<ValueMap> =>
      fc.record({
        granular: texts.map((members) => prefixed(name, members)),
        set: fc
          .uniqueArray(key, { minLength: 1, maxLength: 3 })
          .map((members) => members.map((member) => name + member)),
        items: fc
          .uniqueArray(fc.record({ k: key, a: text }), { selector: ({ k }) => k, maxLength: 3 })
          .map((items) => items.map((item) => ({ ...item, k: name + item.k }))),
      })
    const prefixed = (name: string, members: Readonly<Record<string, string>>): Record<string, string> =>
      Object.fromEntries(Object.entries(members).map(([member, value]) => [name + member, value]))
    const three = fc.tuple(mine('x'), mine('y'), mine('z'))
    const orders = fc.shuffledSubarray([0, 1, 2], { minLength: 3, maxLength: 3 })
    fc.assert(
      fc.property(three, orders, (bodies, order) => {
        const steps = bodies.map((spec, index): Write => ({ who: `m${index}`, spec, verb: 'applies' }))
        const straight = writeAll(THING, steps)
        const shuffled = writeAll(
          THING,
          order.map((index) => steps[index]!),
        )
        expect(unordered(withoutManagedFields(shuffled))).toEqual(unordered(withoutManagedFields(straight)))
        expect(ownersOf(shuffled)).toEqual(ownersOf(straight))
      }),
      RUNS,
    )
  })
})

describe('a schema that changes', () => {
  const granular = kindOf({ m: map(TEXT) })
  const atomic = kindOf({ m: map(TEXT, 'atomic') })
  const one: Write = { who: 'one', spec: { m: { a: '1' } }, verb: 'applies' }
  const two: Write = { who: 'two', spec: { m: { b: '2' } }, verb: 'applies' }

  it('from granular to atomic makes owners of parts owners of the whole', () => {
    const live = writeAll(granular, [one, two])
    expect(() => write(atomic, live, one)).toThrow('conflict with "two": .spec.m')
    const forced = write(atomic, live, { ...one, verb: 'forces' })
    expect(forced['spec']).toEqual({ m: { a: '1' } })
    expect(ownersOf(forced)).toEqual({ 'one Apply': ['.spec.m'] })
  })

  it('from atomic to granular leaves owners of the whole the node alone', () => {
    const live = writeAll(atomic, [one])
    const merged = write(granular, live, two)
    expect(merged['spec']).toEqual({ m: { a: '1', b: '2' } })
    expect(ownersOf(merged)).toEqual({ 'one Apply': ['.spec.m'], 'two Apply': ['.spec.m.b'] })
  })
})

describe('lists that hold an item twice', () => {
  const twice = (spec: ValueMap): ValueMap => ({ ...TYPE, metadata: { name: 'a', uid: 'u' }, spec })

  it('are taken as they are where nobody applies the item', () => {
    const live = twice({
      items: [
        { k: 'p', a: '1' },
        { k: 'p', a: '2' },
      ],
    })
    const applied = write(THING, live, { who: 'one', spec: { items: [{ k: 'q' }] }, verb: 'applies' })
    expect((applied['spec'] as ValueMap)['items']).toEqual([{ k: 'p', a: '1' }, { k: 'p', a: '2' }, { k: 'q' }])
  })

  it('lose all of them to the item that is applied', () => {
    const live = twice({
      items: [
        { k: 'p', a: '1' },
        { k: 'p', a: '2' },
      ],
    })
    const applied = write(THING, live, { who: 'one', spec: { items: [{ k: 'p', a: '3' }] }, verb: 'forces' })
    expect((applied['spec'] as ValueMap)['items']).toEqual([{ k: 'p', a: '3' }])
  })

  it('may be sets too', () => {
    const live = twice({ set: ['p', 'p', 'q'] })
    const applied = write(THING, live, { who: 'one', spec: { set: ['p'] }, verb: 'forces' })
    expect((applied['spec'] as ValueMap)['set']).toEqual(['p', 'q'])
  })
})

describe('times', () => {
  const one: Write = { who: 'one', spec: { granular: { p: '1' } }, verb: 'applies' }
  const timeOf = (live: ValueMap, manager: string): Value | undefined =>
    ((live['metadata'] as ValueMap)['managedFields'] as readonly ValueMap[]).find(
      (entry) => entry['manager'] === manager,
    )?.['time']

  it('move with the applies that change the object, and not with the others', () => {
    const first = write(THING, NOTHING, one, 1)
    expect(timeOf(first, 'one')).toBe('2030-01-01T00:00:01Z')
    expect(timeOf(write(THING, first, one, 2), 'one')).toBe('2030-01-01T00:00:01Z')
    expect(timeOf(write(THING, first, { ...one, spec: { text: '2' } }, 3), 'one')).toBe('2030-01-01T00:00:03Z')
  })

  it('are absent for an applier that has changed nothing yet, and it is listed first', () => {
    const shared = write(THING, write(THING, NOTHING, one, 1), { ...one, who: 'two' }, 2)
    expect(timeOf(shared, 'two')).toBeUndefined()
    const managers = ((shared['metadata'] as ValueMap)['managedFields'] as readonly ValueMap[]).map(
      (entry) => entry['manager'],
    )
    expect(managers).toEqual(['two', 'one'])
  })

  it('stay where an apply only gives up a claim that is shared', () => {
    const shared = write(
      THING,
      write(THING, NOTHING, one, 1),
      { ...one, who: 'two', spec: { ...one.spec, text: '1' } },
      2,
    )
    const given = write(THING, shared, { who: 'two', spec: { text: '1' }, verb: 'applies' }, 3)
    expect(timeOf(given, 'two')).toBe('2030-01-01T00:00:02Z')
  })
})
