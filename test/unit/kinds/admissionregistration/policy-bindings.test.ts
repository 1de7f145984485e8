import { describe, it } from 'vitest'
import { type CellRow, expectCells, expectColumns } from '../columns.ts'
import { expectDefaults, named, SELECTION } from '../defaulting.ts'
import { judge, type Row, rows } from '../judging.ts'

describe('columns', () => {
  it('admissionregistration.k8s.io MutatingAdmissionPolicyBinding has these columns', () =>
    expectColumns('admissionregistration.k8s.io MutatingAdmissionPolicyBinding', [
      'Name : string name',
      'PolicyName',
      'ParamRef',
      'Age',
    ]))

  it('admissionregistration.k8s.io ValidatingAdmissionPolicyBinding has these columns', () =>
    expectColumns('admissionregistration.k8s.io ValidatingAdmissionPolicyBinding', [
      'Name : string name',
      'PolicyName',
      'ParamRef',
      'Age',
    ]))

  it.each<CellRow>([
    [
      'admissionregistration.k8s.io ValidatingAdmissionPolicyBinding',
      'by name',
      { spec: { policyName: 'p', paramRef: { name: 'x' } } },
      ['p', '*/x'],
    ],
    [
      'admissionregistration.k8s.io MutatingAdmissionPolicyBinding',
      'by place',
      { spec: { policyName: 'p', paramRef: { name: 'x', namespace: 'n' } } },
      ['p', 'n/x'],
    ],
    [
      'admissionregistration.k8s.io MutatingAdmissionPolicyBinding',
      'by labels',
      { spec: { policyName: 'p', paramRef: { selector: { matchLabels: { b: 'c' } } } } },
      ['p', '&LabelSelector{MatchLabels:map[string]string{b: c,},MatchExpressions:[]LabelSelectorRequirement{},}'],
    ],
    [
      'admissionregistration.k8s.io MutatingAdmissionPolicyBinding',
      'by nothing',
      { spec: { policyName: 'p' } },
      ['p', '<unset>'],
    ],
  ])('of %s, %s', expectCells)
})

describe('defaults', () => {
  it.each(
    named(
      ['MutatingAdmissionPolicyBinding', 'ValidatingAdmissionPolicyBinding'].map((kind) => ({
        of: `admissionregistration.k8s.io/v1 ${kind}`,
        given: { spec: { matchResources: { resourceRules: [{}], excludeResourceRules: [{}] } } },
        meant: {
          spec: {
            matchResources: { ...SELECTION, resourceRules: [{ scope: '*' }], excludeResourceRules: [{ scope: '*' }] },
          },
        },
      })),
    ),
  )('%s', expectDefaults)
})

describe('validation', () => {
  it.each<Row>([
    ...rows('admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding', [
      'no policy',
      { 'spec/policyName': '' },
      'spec.policyName: Required value',
    ]),
    ...rows('admissionregistration.k8s.io/v1 MutatingAdmissionPolicyBinding', [
      'parameters by name and by labels',
      { 'spec/paramRef': { name: 'n', selector: {}, parameterNotFoundAction: 'Deny' } },
      'spec.paramRef.name: Forbidden: name and selector are mutually exclusive',
      'spec.paramRef.selector: Forbidden: name and selector are mutually exclusive',
    ]),
  ])('$of: $case', judge)
})
