import { describe, expect, it } from 'vitest'
import { faultsOf } from '../../../../src/api/fault-list.ts'
import { FieldPath } from '../../../../src/api/field-path.ts'
import type { BuiltInTypes } from '../../../../src/api/gen/kinds.ts'
import type { ValueMap } from '../../../../src/api/value.ts'
import { Check } from '../../../../src/schema/validation/check.ts'

const CONTEXT = { gates: new Set<string>(), namespaced: true }
const AT = FieldPath.root('it')

function faults(run: (check: Check) => void): readonly string[] {
  return faultsOf((list) => run(new Check(CONTEXT, list))).map(({ field, message }) => `${field}: ${message}`)
}

type Fields = { [T in keyof BuiltInTypes]: readonly [T, ...(keyof BuiltInTypes[T])[]] }[keyof BuiltInTypes]

const CONTAINER = ['core_v1.Container', 'name', 'image', 'terminationMessagePolicy'] as const satisfies Fields
const PORT = ['core_v1.ContainerPort', 'containerPort', 'hostPort', 'protocol'] as const satisfies Fields
const PROBE = ['core_v1.Probe'] as const satisfies Fields
const SPREAD = [
  'core_v1.TopologySpreadConstraint',
  'maxSkew',
  'whenUnsatisfiable',
  'nodeTaintsPolicy',
] as const satisfies Fields
const SECURITY = ['core_v1.PodSecurityContext', 'supplementalGroups'] as const satisfies Fields
const ALIAS = ['core_v1.HostAlias'] as const satisfies Fields
const POD = ['core_v1.PodSpec', 'terminationGracePeriodSeconds', 'hostnameOverride'] as const satisfies Fields
const RESTART = ['core_v1.ContainerRestartRule'] as const satisfies Fields
const CODES = ['core_v1.ContainerRestartRuleOnExitCodes'] as const satisfies Fields

const LABEL = /^it\.name: Invalid value: "A_": a lowercase RFC 1123 label/

type Row = readonly [what: string, fields: Fields, object: ValueMap, ...expected: (string | RegExp)[]]

const rows: readonly Row[] = [
  ['fields that are as they should be', CONTAINER, { name: 'a', image: 'i', terminationMessagePolicy: 'File' }],
  [
    'fields that are not there, in the order in which they are named',
    CONTAINER,
    {},
    'it.name: Required value',
    'it.image: Required value',
    'it.terminationMessagePolicy: Required value',
  ],
  ['a null', POD, { terminationGracePeriodSeconds: null }, 'it.terminationGracePeriodSeconds: Required value'],
  ['zero where absence differs from it', POD, { terminationGracePeriodSeconds: 0 }],
  ['a form', CONTAINER, { name: 'A_', image: 'i', terminationMessagePolicy: 'File' }, LABEL],
  [
    'values in the order of messages and not of documents',
    CONTAINER,
    { name: 'a', image: 'i', terminationMessagePolicy: 'X' },
    'it.terminationMessagePolicy: Unsupported value: "X": supported values: "File", "FallbackToLogsOnError"',
  ],
  [
    'a text that is too long and has another form, once each',
    POD,
    { terminationGracePeriodSeconds: 1, hostnameOverride: `${'a'.repeat(64)}_` },
    'it.hostnameOverride: Too long: may not be more than 64 bytes',
    /^it\.hostnameOverride: Invalid value: /,
  ],
  ['the number 0 where one is required', PORT, { protocol: 'TCP' }, 'it.containerPort: Required value'],
  [
    'numbers out of their bounds',
    PORT,
    { containerPort: 65536, hostPort: -1, protocol: 'TCP' },
    'it.containerPort: Invalid value: 65536: must be between 1 and 65535, inclusive',
    'it.hostPort: Invalid value: -1: must be between 1 and 65535, inclusive',
  ],
  [
    'a lower bound alone',
    PROBE,
    { timeoutSeconds: -1, terminationGracePeriodSeconds: 0 },
    'it.timeoutSeconds: Invalid value: -1: must be greater than or equal to 0',
    'it.terminationGracePeriodSeconds: Invalid value: 0: must be greater than 0',
  ],
  [
    'a large integer',
    PROBE,
    { terminationGracePeriodSeconds: -(2n ** 60n) },
    'it.terminationGracePeriodSeconds: Invalid value: -1152921504606846976: must be greater than 0',
  ],
  [
    'zeros that are held to the rules as well, and words of their own',
    SPREAD,
    {},
    'it.maxSkew: Invalid value: 0: must be greater than zero',
    'it.whenUnsatisfiable: Unsupported value: "": supported values: "DoNotSchedule", "ScheduleAnyway"',
  ],
  [
    'an empty text where absence differs from it',
    SPREAD,
    { maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule', nodeTaintsPolicy: '' },
    'it.nodeTaintsPolicy: Unsupported value: "": supported values: "Honor", "Ignore"',
  ],
  [
    'each number of a list',
    SECURITY,
    { supplementalGroups: [1, -1] },
    'it.supplementalGroups[1]: Invalid value: -1: must be between 0 and 2147483647, inclusive',
  ],
  ['each text of a list', ALIAS, { hostnames: ['a.b', 'A'] }, /^it\.hostnames\[1\]: Invalid value: "A": a lowercase/],
  [
    'a text that occurs twice, after what is wrong with it',
    ['core_v1.ServiceSpec', 'ipFamilies'],
    { ipFamilies: ['IPv4', 'IPv5', 'IPv5'] },
    'it.ipFamilies[1]: Unsupported value: "IPv5": supported values: "IPv4", "IPv6"',
    'it.ipFamilies[2]: Unsupported value: "IPv5": supported values: "IPv4", "IPv6"',
    'it.ipFamilies[2]: Duplicate value: "IPv5"',
  ],
  ['a list that may hold anything but not nothing', ['core_v1.ExecAction'], { command: ['', ''] }],
  ['an object that is not there', RESTART, {}, 'it.exitCodes: Required value: must be specified'],
  ['an object that is', RESTART, { exitCodes: {} }],
  [
    'a list that is too long',
    CODES,
    { operator: 'In', values: Array.from({ length: 256 }, (_, i) => i) },
    'it.values: Too many: 256: must have at most 255 items',
  ],
]

describe('the rules that fields carry', () => {
  for (const [what, fields, object, ...expected] of rows) {
    it(`tell of ${what}`, () => {
      const found = faults((check) => check.fields(object, AT, ...(fields as typeof CONTAINER)))
      expect(found).toEqual(
        expected.map((text): unknown => (typeof text === 'string' ? text : expect.stringMatching(text))),
      )
    })
  }

  it('name the fields of a whole object by themselves', () => {
    expect(faults((check) => check.fields({ name: 'a', image: 'i' }, undefined, ...CONTAINER))).toEqual([
      'terminationMessagePolicy: Required value',
    ])
  })

  it('tell of what was changed and may not be', () => {
    const [object, stored] = [
      { data: { a: 1 }, revision: 2 },
      { data: { a: 2 }, revision: 1 },
    ]
    const change = { object, stored, at: AT }
    expect(faults((check) => check.unchangedFields(change, 'apps_v1.ControllerRevision'))).toEqual([
      'it.data: Invalid value: {"a":1}: field is immutable',
    ])
    expect(faults((check) => check.unchangedFields({ object, stored: object }, 'apps_v1.ControllerRevision'))).toEqual(
      [],
    )
  })

  it.each([
    ['a type that is nowhere', 'core_v1.Contaner', 'name', 'the fields of core_v1.Contaner have no rules'],
    ['a field that is nowhere', 'core_v1.Container', 'nmae', 'the field nmae has no rule'],
    ['a field without rules', 'core_v1.Container', 'workingDir', 'the field workingDir has no rule'],
  ])('cannot be asked for of %s', (_, type, name, message) => {
    expect(() => faults((check) => check.fields({}, AT, type as 'core_v1.Container', name as 'name'))).toThrow(message)
  })
})
