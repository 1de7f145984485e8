import { describe, it } from 'vitest'
import { type CellRow, expectCells, expectColumns } from '../columns.ts'
import { expectDefaults, named, SELECTION } from '../defaulting.ts'
import { judge, type Row, rows } from '../judging.ts'

describe('columns', () => {
  it('admissionregistration.k8s.io MutatingAdmissionPolicy has these columns', () =>
    expectColumns('admissionregistration.k8s.io MutatingAdmissionPolicy', [
      'Name : string name',
      'Mutations : integer',
      'ParamKind',
      'Age',
    ]))

  it('admissionregistration.k8s.io ValidatingAdmissionPolicy has these columns', () =>
    expectColumns('admissionregistration.k8s.io ValidatingAdmissionPolicy', [
      'Name : string name',
      'Validations : integer',
      'ParamKind',
      'Age',
    ]))

  it.each<CellRow>([
    [
      'admissionregistration.k8s.io ValidatingAdmissionPolicy',
      'with parameters',
      { spec: { validations: [{}], paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } } },
      [1, 'v1/ConfigMap'],
    ],
    [
      'admissionregistration.k8s.io MutatingAdmissionPolicy',
      'without',
      { spec: { mutations: [{}, {}] } },
      [2, '<unset>'],
    ],
  ])('of %s, %s', expectCells)
})

describe('defaults', () => {
  it.each(
    named(
      ['MutatingAdmissionPolicy', 'ValidatingAdmissionPolicy'].map((kind) => ({
        of: `admissionregistration.k8s.io/v1 ${kind}`,
        given: { spec: { matchConstraints: { resourceRules: [{}], excludeResourceRules: [{ scope: 'Cluster' }] } } },
        meant: {
          spec: {
            failurePolicy: 'Fail',
            matchConstraints: {
              ...SELECTION,
              resourceRules: [{ scope: '*' }],
              excludeResourceRules: [{ scope: 'Cluster' }],
            },
          },
        },
      })),
    ),
  )('%s', expectDefaults)
})

describe('validation', () => {
  it.each<Row>([
    ...rows('admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy', [
      'no rules',
      { 'spec/matchConstraints/resourceRules': [] },
      'spec.matchConstraints.resourceRules: Required value',
    ]),
    ...rows('admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy', [
      'a variable where there are none',
      { 'spec/validations/0/expression': 'variables.x ' },
      `spec.validations[0].expression: Invalid value: "variables.x ": compilation failed: ERROR: <input>:1:1: undeclared reference to 'variables' (in container '')…`,
    ]),
    ...rows(
      'admissionregistration.k8s.io/v1 MutatingAdmissionPolicy',
      [
        'no mutations',
        { 'spec/mutations': [] },
        'spec.mutations: Required value: mutations must contain at least one item',
      ],
      [
        'another mutation than it says',
        { 'spec/mutations/0/patchType': 'ApplyConfiguration' },
        'spec.mutations[0].applyConfiguration: Required value: must be specified when patchType is ApplyConfiguration',
        'spec.mutations[0].jsonPatch: Invalid value: "{jsonPatch}": must not be specified when patchType is ApplyConfiguration',
      ],
      [
        'a change of what is deleted',
        { 'spec/matchConstraints/resourceRules/0/operations': ['DELETE'] },
        'spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
      ],
      [
        'a patch that cannot be compiled',
        { 'spec/mutations/0/jsonPatch/expression': ' nope ' },
        `spec.mutations[0].jsonPatch.expression: Invalid value: "nope": compilation failed: ERROR: <input>:1:1: undeclared reference to 'nope'…`,
      ],
      [
        'a patch that is none of its type',
        { 'spec/mutations/0': { patchType: 'ApplyConfiguration', jsonPatch: { expression: 'nope' } } },
        'spec.mutations[0].applyConfiguration: Required value: must be specified when patchType is ApplyConfiguration',
        'spec.mutations[0].jsonPatch: Invalid value: "{jsonPatch}": must not be specified when patchType is ApplyConfiguration',
      ],
      [
        'a patch without a type',
        { 'spec/mutations/0': { jsonPatch: { expression: 'nope' } } },
        'spec.mutations[0].patchType: Required value',
      ],
      [
        'a variable that is none',
        { 'spec/mutations/0/jsonPatch/expression': 'variables.x' },
        `spec.mutations[0].jsonPatch.expression: Invalid value: "variables.x": compilation failed: ERROR: <input>:1:10: undefined field 'x'…`,
      ],
      [
        'patches in variables',
        {
          'spec/variables': [
            { name: 'x', expression: 'JSONPatch{}' },
            { name: '1', expression: 'true' },
          ],
          'spec/mutations/0/jsonPatch/expression': 'variables.x',
        },
        `spec.variables[0].expression: Invalid value: "JSONPatch{}": compilation failed: ERROR: <input>:1:10: undeclared reference to 'JSONPatch'…`,
        'spec.variables[1].name: Invalid value: "1": must be a valid CEL identifier',
        'spec.mutations[0].jsonPatch.expression: Invalid value: "variables.x": must evaluate to list(JSONPatch) but got dyn',
      ],
    ),
  ])('$of: $case', judge)
})
