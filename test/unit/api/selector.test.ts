import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  customSelectableFields,
  parseFieldSelector,
  readField,
  selectableFields,
} from '../../../src/api/selector-fields.ts'
import { labelSelectorOf, parseLabelSelector } from '../../../src/api/selector-text.ts'
import { exactField, formatLabelSelector, matchesFields, matchesLabels } from '../../../src/api/selector.ts'
import { ApiError } from '../../../src/api/status.ts'
import type { Value, ValueMap } from '../../../src/api/value.ts'
import { outOfProportion } from '../../rigs/processor-time.ts'

interface RecordedStep {
  readonly label?: string
  readonly body?: { readonly kind: string; readonly message?: string; readonly names?: readonly string[] }
}

/** What the reference server answered to selectors, by the selector's text. */
function recorded(scenario: string): readonly RecordedStep[] {
  const path = new URL(`../../conformance/scenarios/reads/${scenario}.recorded.json`, import.meta.url)
  const steps = JSON.parse(readFileSync(path, 'utf8')) as readonly RecordedStep[]
  return steps.filter((step) => step.label !== undefined && step.label !== '')
}

function refusal(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'BadRequest' && error.code === 400) return error.message
    throw error
  }
  throw new Error('was not refused')
}

describe('label selectors (R-131 to R-133)', () => {
  it.each(recorded('labels-errors').map((step) => [step.label ?? '', step.body?.message ?? '']))(
    'refuses %j in the words of the reference',
    (text, message) => {
      expect(refusal(() => parseLabelSelector(text))).toBe(message)
    },
  )

  it.each<[string, string]>([
    ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['a=(', "unable to parse requirement: found '(', expected: identifier"],
    ['a in (b c)', "unable to parse requirement: found 'c', expected: ',' or ')'"],
    ['a in (=)', "unable to parse requirement: found '=', expected: ',', ')' or identifier"],
    ['a in (,=)', "unable to parse requirement: found '=', expected: ',', or identifier"],
    ['a=1,', "found '', expected: identifier after ','"],
    [')', "found ')', expected: !, identifier, or 'end of string'"],
    [
      'k>-x',
      "unable to parse requirement: [values[0]: Invalid value: \"-x\": for 'Gt', 'Lt' operators, the value must be an integer, " +
        'values[0][k]: Invalid value: "-x": a valid label must be an empty string or consist of alphanumeric characters, ' +
        "'-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or " +
        "'12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')]",
    ],
    ['/k', 'unable to parse requirement: <nil>: Invalid value: "/k": prefix part must be non-empty'],
  ])('refuses %j', (text, message) => {
    expect(refusal(() => parseLabelSelector(text))).toBe(message)
  })

  const objects: Readonly<Record<string, ValueMap>> = {
    db: { tier: 'db', size: '10', team: 'red' },
    web: { tier: 'web', size: '2' },
    empty: { tier: '', in: 'x' },
    bare: {},
  }
  it.each<[string, readonly string[]]>([
    ['', ['db', 'web', 'empty', 'bare']],
    [' \t\r\n', ['db', 'web', 'empty', 'bare']],
    ['tier', ['db', 'web', 'empty']],
    ['!tier', ['bare']],
    ['tier=web', ['web']],
    ['tier == web', ['web']],
    ['tier!=web', ['db', 'empty', 'bare']],
    ['tier in (web,db)', ['db', 'web']],
    ['tier notin ( web , db )', ['empty', 'bare']],
    ['tier in ()', ['empty']],
    ['tier in (,)', ['empty']],
    ['tier in (web,)', ['web', 'empty']],
    ['tier in (,,web)', ['web', 'empty']],
    ['tier=', ['empty']],
    ['tier=,size', []],
    ['size>2', ['db']],
    ['size<10', ['web']],
    ['tier=web,tier=db', []],
    ['tier!=web,tier!=db', ['empty', 'bare']],
    ['in=x', ['empty']],
    ['in in (x)', ['empty']],
    ['notin', []],
    ['constructor', []],
    ['team,!example.com/team', ['db']],
    ['tier\0=web', ['db', 'web', 'empty']],
  ])('%j selects %j', (text, names) => {
    const selector = parseLabelSelector(text)
    expect(Object.keys(objects).filter((name) => matchesLabels(selector, objects[name]))).toEqual(names)
  })

  it('an object without labels is selected by what it lacks', () => {
    expect(matchesLabels(parseLabelSelector('!a,b!=c,d notin (e)'), undefined)).toBe(true)
    expect(matchesLabels(parseLabelSelector('a'), undefined)).toBe(false)
  })

  it('a size that is not an integer of 64 bits is on neither side of a bound', () => {
    for (const size of ['ten', '1.5', '', '9223372036854775808']) {
      expect(matchesLabels(parseLabelSelector('size>1'), { size })).toBe(false)
      expect(matchesLabels(parseLabelSelector('size<1'), { size })).toBe(false)
    }
  })

  it.each<[string, Value, string | undefined]>([
    [
      'both parts',
      { matchLabels: { b: '1', a: '2' }, matchExpressions: [{ key: 'c', operator: 'Exists' }] },
      'a=2,b=1,c',
    ],
    ['an empty one', {}, ''],
    ['values are sorted', { matchExpressions: [{ key: 'c', operator: 'In', values: ['y', 'x', 'y'] }] }, 'c in (x,y)'],
    ['not in', { matchExpressions: [{ key: 'c', operator: 'NotIn', values: ['y'] }] }, 'c notin (y)'],
    ['absent', { matchExpressions: [{ key: 'c', operator: 'DoesNotExist' }] }, '!c'],
    ['an unknown operator', { matchExpressions: [{ key: 'c', operator: 'Gt', values: ['1'] }] }, undefined],
    ['In without values', { matchExpressions: [{ key: 'c', operator: 'In' }] }, undefined],
    ['Exists with values', { matchExpressions: [{ key: 'c', operator: 'Exists', values: ['1'] }] }, undefined],
    ['not an object', 'a=b', undefined],
    ['a label that is no text', { matchLabels: { a: 1 } }, undefined],
  ])('the object form: %s', (_name, value, text) => {
    const selector = labelSelectorOf(value)
    expect(selector && formatLabelSelector(selector)).toBe(text)
  })

  it('what is formatted reads back as the same', () => {
    const word = fc.stringMatching(/^[a-z]([a-z0-9._-]{0,8}[a-z0-9])?$/)
    const requirement = fc.oneof(
      fc.tuple(word, fc.constantFrom('=', '==', '!='), word).map((parts) => parts.join('')),
      fc
        .tuple(word, fc.constantFrom(' in ', ' notin '), fc.array(word))
        .map(([k, op, v]) => `${k}${op}(${v.join(',')})`),
      word,
      word.map((key) => `!${key}`),
      fc.tuple(word, fc.constantFrom('>', '<'), fc.nat()).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(fc.array(requirement), (requirements) => {
        const once = formatLabelSelector(parseLabelSelector(requirements.join(', ')))
        expect(formatLabelSelector(parseLabelSelector(once))).toBe(once)
      }),
    )
  })

  it('any text gives a selector or a 400', () => {
    const alphabet = fc.constantFrom(...'ab=!<>(), \t\0/.-é'.split(''), 'in', 'notin', ' in ')
    fc.assert(
      fc.property(fc.array(alphabet), (parts) => {
        try {
          parseLabelSelector(parts.join(''))
        } catch (error) {
          expect(error).toMatchObject({ reason: 'BadRequest' })
        }
      }),
    )
  })
})

describe('field selectors (R-134 to R-137)', () => {
  const fieldsOf = (apiVersion: string, kind: string) => {
    const [version = '', group = ''] = apiVersion.split('/').reverse()
    return selectableFields({ group, version, kind })
  }

  it.each(
    recorded('fields-errors')
      .slice(0, 6)
      .map((step) => [step.label ?? '', step.body?.message ?? '']),
  )('refuses %j in the words of the reference', (text, message) => {
    expect(refusal(() => parseFieldSelector(text))).toBe(message)
  })

  it.each<[string, string, string, string]>([
    ['v1', 'ConfigMap', 'data.k', '"data.k" is not a known field selector: only "metadata.name", "metadata.namespace"'],
    ['v1', 'Secret', 'data.k', 'field label not supported: data.k'],
    ['v1', 'Pod', 'spec.colour', 'field label not supported: spec.colour'],
    ['v1', 'Node', 'metadata.namespace', 'field label not supported: metadata.namespace'],
    ['v1', 'Namespace', 'metadata.namespace', 'field label not supported: metadata.namespace'],
    ['batch/v1', 'Job', 'spec.colour', 'field label "spec.colour" not supported for Job'],
    ['events.k8s.io/v1', 'Event', 'involvedObject.name', 'field label not supported: involvedObject.name'],
    ['events.k8s.io/v1', 'Event', 'source', 'field label not supported: source'],
    ['v1', 'Event', 'regarding.name', 'field label not supported: regarding.name'],
    ['v1', 'Pod', 'constructor', 'field label not supported: constructor'],
    [
      'resource.k8s.io/v1',
      'ResourceSlice',
      'spec.colour',
      'field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: spec.colour',
    ],
  ])('%s %s cannot be selected by %s', (apiVersion, kind, field, message) => {
    const selector = parseFieldSelector(`metadata.name=a,${field}!=x`)
    expect(refusal(() => fieldsOf(apiVersion, kind).resolve(selector))).toBe(message)
  })

  it.each<[string, string, string, ValueMap, string]>([
    ['v1', 'Pod', 'spec.host', { spec: { nodeName: 'n' } }, 'n'],
    ['v1', 'Pod', 'spec.nodeName', { spec: {} }, ''],
    ['v1', 'Pod', 'spec.hostNetwork', { spec: { hostNetwork: true } }, 'true'],
    ['v1', 'Pod', 'spec.hostNetwork', {}, 'false'],
    ['v1', 'Pod', 'status.podIP', { status: { podIPs: [{ ip: '10.0.0.1' }, { ip: '::1' }] } }, '10.0.0.1'],
    ['v1', 'Pod', 'status.podIP', { status: { podIP: '10.0.0.1' } }, '10.0.0.1'],
    ['v1', 'Pod', 'status.podIPs', { status: { podIPs: [{ ip: '10.0.0.1' }] } }, ''],
    ['v1', 'Node', 'spec.unschedulable', { spec: {} }, 'false'],
    ['v1', 'ReplicationController', 'status.replicas', { status: { replicas: 3 } }, '3'],
    ['batch/v1', 'Job', 'status.successful', { status: {} }, '0'],
    ['batch/v1', 'Job', 'status.successful', { status: { succeeded: 2 } }, '2'],
    ['v1', 'Event', 'source', { source: {}, reportingComponent: 'r' }, 'r'],
    ['v1', 'Event', 'source', { source: { component: 'c' }, reportingComponent: 'r' }, 'c'],
    ['events.k8s.io/v1', 'Event', 'regarding.name', { involvedObject: { name: 'x' } }, 'x'],
    ['events.k8s.io/v1', 'Event', 'reportingController', { reportingComponent: 'r' }, 'r'],
    ['storage.k8s.io/v1', 'StorageClass', 'metadata.namespace', { metadata: { name: 'a' } }, ''],
  ])('%s %s: %s of %j is %j', (apiVersion, kind, field, object, value) => {
    const fields = fieldsOf(apiVersion, kind)
    const matches = (text: string) =>
      matchesFields(fields.resolve(parseFieldSelector(text)), (name) => {
        const known = fields.own.find((one) => one.name === name)
        return known === undefined ? '' : readField(object, known)
      })
    expect(matches(`${field}=${value}`)).toBe(true)
    expect(matches(`${field}!=${value}`)).toBe(false)
  })

  it.each<[string, string, readonly string[]]>([
    ['the name', 'metadata.name=a', ['a']],
    ['two operators', 'metadata.name==a,metadata.namespace!=y', ['a']],
    ['empty terms', ',metadata.name=a,', ['a']],
    ['an escaped comma', 'metadata.name=a\\,b', ['a,b']],
    ['an escaped equals sign', 'metadata.name=a\\=b', ['a=b']],
    ['blanks are not trimmed', 'metadata.name= a', [' a']],
    ['an empty value', 'metadata.name=', ['']],
    ['contradictions pin the first', 'metadata.name=b,metadata.name=a', ['a']],
    ['an inequality pins nothing', 'metadata.name!=a', []],
  ])('reads %s', (_name, text, pinned) => {
    const value = exactField(parseFieldSelector(text), 'metadata.name')
    expect(value === undefined ? [] : [value]).toEqual(pinned)
  })

  it('a custom kind has its own fields, and a namespace only where it is namespaced', () => {
    const fields = customSelectableFields({ namespaced: false, paths: ['.spec.colour', '.spec.size'] })
    expect(fields.own.map(({ name }) => name)).toEqual(['spec.colour', 'spec.size'])
    expect(fields.own.map((field) => readField({ spec: { size: 3 } }, field))).toEqual(['', '3'])
    expect(refusal(() => fields.resolve(parseFieldSelector('metadata.namespace=x')))).toBe(
      'field label not supported: metadata.namespace',
    )
  })

  it('any text gives a selector or a 400', () => {
    const alphabet = fc.constantFrom(...'ab=!,\\ é'.split(''))
    fc.assert(
      fc.property(fc.array(alphabet), fc.constantFrom('Pod', 'ConfigMap'), (parts, kind) => {
        try {
          fieldsOf('v1', kind).resolve(parseFieldSelector(parts.join('')))
        } catch (error) {
          expect(error).toMatchObject({ reason: 'BadRequest' })
        }
      }),
    )
  })
})

describe('selectors that ask for much', () => {
  const key = fc.constantFrom('a', 'b', 'c')
  const value = fc.constantFrom('', '1', '2', '3', 'x')
  const requirement = fc.oneof(
    fc.tuple(key, fc.constantFrom('=', '!='), value).map((parts) => parts.join('')),
    fc
      .tuple(key, fc.constantFrom('in', 'notin'), fc.array(value))
      .map(([k, op, all]) => `${k} ${op} (${all.join(',')})`),
    fc.tuple(fc.constantFrom('', '!'), key).map((parts) => parts.join('')),
    fc.tuple(key, fc.constantFrom('>', '<'), fc.constantFrom('1', '2')).map((parts) => parts.join('')),
  )

  it('match what each of their requirements matches', () => {
    const labels = fc.dictionary(key, value)
    fc.assert(
      fc.property(fc.array(requirement, { minLength: 9, maxLength: 20 }), labels, (texts, held) => {
        const whole = parseLabelSelector(texts.join(','))
        const expected = texts.every((text) => matchesLabels(parseLabelSelector(text), held))
        expect(whole.isLarge).toBe(true)
        expect(matchesLabels(whole, held)).toBe(expected)
        expect(whole.matches((each) => held[each])).toBe(expected)
      }),
      { numRuns: 2_000 },
    )
  })

  it.each<[string, (i: number) => string, (all: readonly string[]) => string]>([
    ['keys', (i) => `k${i}!=v`, (all) => all.join(',')],
    ['values', (i) => `v${i}`, (all) => `a notin (${all.join(',')})`],
    ['requirements of one key', (i) => `a!=v${i}`, (all) => all.join(',')],
  ])('cost an object no more however many their %s are', (_, each, join) => {
    const held = { a: 'x', b: 'y' }
    const run = (size: number): void => {
      const selector = parseLabelSelector(join(Array.from({ length: size }, (_each, i) => each(i))))
      let matched = 0
      for (let i = 0; i < size; i++) if (matchesLabels(selector, held)) matched++
      expect(matched).toBe(size)
    }
    expect(outOfProportion(4_000, run)).toBe('')
  })

  it('look for a field once', () => {
    const selector = parseFieldSelector(Array.from({ length: 1000 }, (_, i) => `metadata.name!=n${i}`).join(','))
    let asked = 0
    const valueOf = (): string => {
      asked += 1
      return 'x'
    }
    expect(matchesFields(selector, valueOf)).toBe(true)
    expect(asked).toBe(1)
  })
})
