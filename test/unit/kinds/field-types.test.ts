// Mistakes in the names and types of fields do not compile: `make types` fails where one of the lines below `@ts-expect-error` does.
import { expect, it } from 'vitest'
import { FieldPath } from '../../../src/api/field-path.ts'
import type { Deployment, PodSpec } from '../../../src/api/gen/kinds.ts'
import { withMeta, withSpec } from '../../../src/api/object-members.ts'
import { entriesOf, own, type ValueMap } from '../../../src/api/value.ts'
import { column, tableOf } from '../../../src/codec/tables/column.ts'
import { typedKind } from '../../../src/kinds/kind.ts'
import { builtInRules } from '../../../src/kinds/shared/built-in-rules.ts'
import { absent, always, blank, each, within } from '../../../src/schema/defaults/rule.ts'
import type { Check } from '../../../src/schema/validation/check.ts'

const SPEC = FieldPath.root<Deployment['spec']>('spec')

const kinds = [
  typedKind<Deployment>({
    // @ts-expect-error: no field of the object
    defaults: within({ spek: always({}) }),
  }),
  typedKind<Deployment>({
    // @ts-expect-error: no field of the specification
    defaults: within({ spec: always({ replica: absent(1) }) }),
  }),
  typedKind<Deployment>({
    // @ts-expect-error: a number
    defaults: within({ spec: always({ replicas: absent('1') }) }),
  }),
  typedKind<Deployment>({
    // @ts-expect-error: a number
    defaults: within({ spec: always({ replicas: blank('1') }) }),
  }),
  typedKind<Deployment>({
    defaults: within({
      spec: always({
        template: always({
          // @ts-expect-error: no field of a container
          spec: always({ containers: each(within({ imagePolicy: blank('Always') })) }),
        }),
      }),
    }),
  }),
  typedKind<Deployment>({
    // @ts-expect-error: no field of the specification
    columns: tableOf([column('Replicas', 'How many.', ({ spec }) => spec.replica ?? 0)]),
  }),
  typedKind<Deployment>({
    // @ts-expect-error: no field of the object
    strategy: { generation: { first: 1, on: ['spek'] } },
  }),
  typedKind<Deployment>({
    strategy: {
      // @ts-expect-error: no field of the metadata
      status: { keepsMetadata: ['label'], resetFields: [] },
      // @ts-expect-error: a number
      prepareForCreate: (object) => withSpec(object, { replicas: '1' }),
      // @ts-expect-error: no field of the specification
      prepareForUpdate: (object) => withSpec(object, { replica: 1 }),
      // @ts-expect-error: no field of the metadata
      prepareStatus: (object) => withMeta(object, { label: {} }),
      // @ts-expect-error: no field of the strategy
      warnings: ({ spec }) => [spec.strategy.typ ?? ''],
    },
  }),
  typedKind<Deployment>({
    validation: builtInRules({
      object: ({ spec }, check) => {
        // @ts-expect-error: no field of the type
        check.fields(spec, SPEC, 'apps_v1.DeploymentSpec', 'replica')
        // @ts-expect-error: no type
        check.fields(spec, SPEC, 'apps_v1.DeploymentSpek', 'replicas')
        // @ts-expect-error: no field of the specification
        check.required(SPEC.child('replica'))
        // @ts-expect-error: no field of a container
        check.required(SPEC.child('template').child('spec').child('containers').index(0).child('imag'))
        // @ts-expect-error: no list of the pod
        check.each(spec.template.spec, 'container', SPEC.child('template').child('spec'), () => undefined)
        // @ts-expect-error: no part of the specification
        check.part(spec, 'templat', SPEC, () => undefined)
        // @ts-expect-error: the place of something else
        check.part(spec, 'template', SPEC.child('template'), () => undefined)
      },
    }),
  }),
]

function readings(deployment: Deployment, pod: PodSpec, check: Check): void {
  const { labels = {}, name } = deployment.metadata
  // @ts-expect-error: the keys come from users
  check.required(FieldPath.root(labels['app'] ?? ''))
  // @ts-expect-error: fields are properties
  own(deployment.spec, 'replicas')
  // @ts-expect-error: it may be absent
  const length: number = name.length
  // @ts-expect-error: it may be null
  const count: number = pod.containers.length
  // @ts-expect-error: it may be beyond 2^53
  pod.terminationGracePeriodSeconds satisfies number | undefined
  // @ts-expect-error: not every object has a specification
  const untyped: Deployment = {} as ValueMap
  const text: string | undefined = own(labels, 'app')
  const anything: ValueMap = deployment
  expect([length, count, text, untyped, anything, entriesOf(labels)])
}

it('compiles with no mistake but the expected ones', () => {
  expect([kinds.length, typeof readings]).toEqual([9, 'function'])
})
