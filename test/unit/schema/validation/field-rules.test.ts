import { describe, expect, it } from 'vitest'
import { faultsOf } from '../../../../src/api/fault-list.ts'
import { FieldPath } from '../../../../src/api/field-path.ts'
import type { ValueMap } from '../../../../src/api/value.ts'
import { Check } from '../../../../src/schema/validation/check.ts'
import { fieldRules, type FieldsCheck, immutableFields } from '../../../../src/schema/validation/field-rules.ts'

const CONTEXT = { gates: new Set<string>(), namespaced: true }
const AT = FieldPath.root('it')

function faults(run: (check: Check) => void): readonly string[] {
  return faultsOf((list) => run(new Check(CONTEXT, list))).map(({ field, message }) => `${field}: ${message}`)
}

const container = fieldRules('core_v1.Container', 'name', 'image', 'terminationMessagePolicy')
const port = fieldRules('core_v1.ContainerPort', 'containerPort', 'hostPort', 'protocol')
const probe = fieldRules('core_v1.Probe', 'timeoutSeconds', 'terminationGracePeriodSeconds')
const spread = fieldRules('core_v1.TopologySpreadConstraint', 'maxSkew', 'whenUnsatisfiable', 'nodeTaintsPolicy')
const security = fieldRules('core_v1.PodSecurityContext', 'supplementalGroups')
const alias = fieldRules('core_v1.HostAlias', 'hostnames')
const pod = fieldRules('core_v1.PodSpec', 'terminationGracePeriodSeconds', 'hostnameOverride')
const rule = fieldRules('core_v1.ContainerRestartRule', 'exitCodes', 'exitCodes.operator', 'exitCodes.values')
const gates = fieldRules('core_v1.PodSpec', 'readinessGates[].conditionType', 'nodeName')

const LABEL = /^it\.name: Invalid value: "A_": a lowercase RFC 1123 label/

type Row = readonly [what: string, checkFields: FieldsCheck, object: ValueMap, ...expected: (string | RegExp)[]]

const rows: readonly Row[] = [
  ['fields that are as they should be', container, { name: 'a', image: 'i', terminationMessagePolicy: 'File' }],
  [
    'fields that are not there, in the order in which they are named',
    container,
    {},
    'it.name: Required value',
    'it.image: Required value',
    'it.terminationMessagePolicy: Required value',
  ],
  ['a null', pod, { terminationGracePeriodSeconds: null }, 'it.terminationGracePeriodSeconds: Required value'],
  ['zero where absence differs from it', pod, { terminationGracePeriodSeconds: 0 }],
  ['a form', container, { name: 'A_', image: 'i', terminationMessagePolicy: 'File' }, LABEL],
  [
    'values in the order of messages and not of documents',
    container,
    { name: 'a', image: 'i', terminationMessagePolicy: 'X' },
    'it.terminationMessagePolicy: Unsupported value: "X": supported values: "File", "FallbackToLogsOnError"',
  ],
  [
    'a text that is too long and has another form, once each',
    pod,
    { terminationGracePeriodSeconds: 1, hostnameOverride: `${'a'.repeat(64)}_` },
    'it.hostnameOverride: Too long: may not be more than 64 bytes',
    /^it\.hostnameOverride: Invalid value: /,
  ],
  ['the number 0 where one is required', port, { protocol: 'TCP' }, 'it.containerPort: Required value'],
  [
    'numbers out of their bounds',
    port,
    { containerPort: 65536, hostPort: -1, protocol: 'TCP' },
    'it.containerPort: Invalid value: 65536: must be between 1 and 65535, inclusive',
    'it.hostPort: Invalid value: -1: must be between 1 and 65535, inclusive',
  ],
  [
    'a lower bound alone',
    probe,
    { timeoutSeconds: -1, terminationGracePeriodSeconds: 0 },
    'it.timeoutSeconds: Invalid value: -1: must be greater than or equal to 0',
    'it.terminationGracePeriodSeconds: Invalid value: 0: must be greater than 0',
  ],
  [
    'a large integer',
    probe,
    { terminationGracePeriodSeconds: -(2n ** 60n) },
    'it.terminationGracePeriodSeconds: Invalid value: -1152921504606846976: must be greater than 0',
  ],
  [
    'zeros that are held to the rules as well, and words of their own',
    spread,
    {},
    'it.maxSkew: Invalid value: 0: must be greater than zero',
    'it.whenUnsatisfiable: Unsupported value: "": supported values: "DoNotSchedule", "ScheduleAnyway"',
  ],
  [
    'an empty text where absence differs from it',
    spread,
    { maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule', nodeTaintsPolicy: '' },
    'it.nodeTaintsPolicy: Unsupported value: "": supported values: "Honor", "Ignore"',
  ],
  [
    'each number of a list',
    security,
    { supplementalGroups: [1, -1] },
    'it.supplementalGroups[1]: Invalid value: -1: must be between 0 and 2147483647, inclusive',
  ],
  ['each text of a list', alias, { hostnames: ['a.b', 'A'] }, /^it\.hostnames\[1\]: Invalid value: "A": a lowercase/],
  ['a part that is not there', rule, {}, 'it.exitCodes: Required value: must be specified'],
  [
    'fields of a part',
    rule,
    { exitCodes: { values: Array.from({ length: 256 }, (_, i) => i) } },
    'it.exitCodes.operator: Unsupported value: "": supported values: "In", "NotIn"',
    'it.exitCodes.values: Too many: 256: must have at most 255 items',
  ],
  [
    'fields of each item, and what comes after them',
    gates,
    { readinessGates: [{ conditionType: 'a/b' }, { conditionType: 'a/b/c' }], nodeName: '_' },
    /^it\.readinessGates\[1\]\.conditionType: Invalid value: "a\/b\/c"/,
    /^it\.nodeName: Invalid value: "_"/,
  ],
]

describe('the rules that fields carry', () => {
  for (const [what, checkFields, object, ...expected] of rows) {
    it(`tell of ${what}`, () => {
      const found = faults((check) => checkFields(object, AT, check))
      expect(found).toEqual(
        expected.map((text): unknown => (typeof text === 'string' ? text : expect.stringMatching(text))),
      )
    })
  }

  it('name the fields of a whole object by themselves', () => {
    expect(faults((check) => container({ name: 'a', image: 'i' }, undefined, check))).toEqual([
      'terminationMessagePolicy: Required value',
    ])
  })

  it.each([
    ['a type that is nowhere', 'core_v1.Contaner', 'name', 'has no field'],
    ['a field that is nowhere', 'core_v1.Container', 'nmae', 'has no field nmae'],
    ['a field without rules', 'core_v1.Container', 'workingDir', 'nothing is asked of the field workingDir'],
    [
      'a field of a part without rules',
      'core_v1.Container',
      'resources.claims',
      'nothing is asked of the field claims',
    ],
  ])('cannot be asked for of %s', (_, type, path, message) => {
    expect(() => fieldRules(type, path)).toThrow(message)
  })

  it('cannot be asked to keep a field that may change', () => {
    expect(() => immutableFields('core_v1.Container', 'image')).toThrow('core_v1.Container.image is not immutable')
  })
})
