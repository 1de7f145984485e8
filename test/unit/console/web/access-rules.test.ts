import { expect, it } from 'vitest'
import { answerOf, subjectNamed } from '../../../../src/console/web/access-rules.ts'

const PODS = { group: '', plural: 'pods' }

it.each([
  ['that name it', [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }], 'yes'],
  ['for everything', [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }], 'yes'],
  ['for some of them', [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['a'] }], 'some'],
  ['for another verb', [{ verbs: ['list'], apiGroups: [''], resources: ['pods'] }], 'no'],
  ['for another group', [{ verbs: ['get'], apiGroups: ['apps'], resources: ['pods'] }], 'no'],
  ['for a part of it', [{ verbs: ['get'], apiGroups: [''], resources: ['pods/log'] }], 'no'],
  ['of which there are none', [], 'no'],
])('rules %s', (_title, rules, answer) => expect(answerOf(rules, PODS, 'get')).toBe(answer))

it('a service account is asked about with the groups that it always has', () => {
  expect(subjectNamed('jane').groups).toEqual(['system:authenticated'])
  expect(subjectNamed('system:serviceaccount:default:web').groups).toEqual([
    'system:serviceaccounts',
    'system:serviceaccounts:default',
    'system:authenticated',
  ])
})
