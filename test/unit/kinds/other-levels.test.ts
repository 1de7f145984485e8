import { describe, expect, it } from 'vitest'
import type { ApiLevel } from '../../../src/api/level.ts'
import { canonicalJson } from '../../../src/codec/json-encode.ts'
import { builtInResources } from '../../../src/kinds/kinds.ts'
import { ofOtherLevels } from '../../../src/kinds/other-levels.ts'
import { loadBuiltInSchema } from '../../../src/schema/schema.ts'

const POLICY = '"metadata":{"name":"a","managedFields":[{"apiVersion":"admissionregistration.k8s.io/v1"}]}}'

/** Whether an object is taken for one of another level. */
function isOther(level: ApiLevel, key: string, text: string): boolean {
  const schema = loadBuiltInSchema(level)
  return ofOtherLevels(schema, builtInResources(schema, canonicalJson))(Buffer.from(text), key)
}

describe('an object that was stored at another level', () => {
  it.each<[string, string, string, readonly [at36: boolean, at37: boolean]]>([
    ['without a field that is filled in', 'csidrivers/a', '{"spec":{"attachRequired":true}}', [false, true]],
    ['with that field', 'csidrivers/a', '{"spec":{"preventPodSchedulingIfMissing":false}}', [false, false]],
    ['without a status', 'csinodes/a', '{"spec":{"drivers":[]}}', [false, true]],
    ['without a default of both levels', 'statefulsets/ns/a', '{"spec":{"replicas":1}}', [false, true]],
    ['with a field of the later level', 'pods/ns/a', '{"spec":{"evictionResponders":[]}}', [true, false]],
    ['without differences', 'pods/ns/a', '{"spec":{"containers":[]}}', [false, false]],
    ['of a custom kind', 'example.com/pods/a', '{"spec":{"evictionResponders":[]}}', [false, false]],
    [
      'in the version of the later level',
      'mutatingadmissionpolicies/a',
      `{"kind":"MutatingAdmissionPolicy","apiVersion":"admissionregistration.k8s.io/v1",${POLICY}`,
      [true, false],
    ],
    [
      'in the version of the earlier level',
      'mutatingadmissionpolicies/a',
      `{"kind":"MutatingAdmissionPolicy","apiVersion":"admissionregistration.k8s.io/v1beta1",${POLICY}`,
      [false, true],
    ],
  ])('%s', (_, key, text, expected) => {
    expect([isOther('1.36', key, text), isOther('1.37', key, text)]).toEqual(expected)
  })
})
