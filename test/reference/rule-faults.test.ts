// Definitions whose rules have several faults: the reference and this server name the same faults in the same order.
import { expect, it } from 'vitest'
import { openBoth } from '../rigs/beside-reference.ts'
import type { OpenServer } from '../rigs/running-server.ts'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const RULES = 'x-kubernetes-validations'

const strings = { type: 'array', items: { type: 'string' } }
/** So many texts of any length: what looks at each of them is over every budget. */
const ofMany = (...rules: readonly object[]): object => ({ ...strings, [RULES]: rules })
const costly = 'self.all(a, self.all(b, self.all(c, a != b && b != c)))'
const costlyMessage = 'self.map(a, self.map(b, a + b)[0])[0] + self.map(a, self.map(b, a + b)[0])[0]'

const ROWS: Readonly<Record<string, object>> = {
  'a rule over its budget and an optionalOldSelf for nothing': ofMany({ rule: costly, optionalOldSelf: true }),
  'a message over its budget and an optionalOldSelf for nothing': ofMany({
    rule: 'self.size() > 0',
    messageExpression: costlyMessage,
    optionalOldSelf: true,
  }),
  'a rule and its message over their budgets': ofMany({ rule: costly, messageExpression: costlyMessage }),
  'a rule over its budget and a message that does not compile': ofMany({ rule: costly, messageExpression: 'nothing' }),
  'a rule that does not compile and a message over its budget': ofMany({
    rule: 'nothing',
    messageExpression: costlyMessage,
  }),
  'a rule and a message that do not compile, and an optionalOldSelf for nothing': ofMany({
    rule: 'self.nothing',
    messageExpression: '1 + 1',
    optionalOldSelf: false,
  }),
  'a rule over its budget that compares with values that cannot be found': {
    type: 'array',
    items: ofMany({ rule: `${costly} && self == oldSelf`, messageExpression: costlyMessage }),
  },
  'several rules with faults': ofMany(
    { rule: costly, optionalOldSelf: true },
    { rule: 'self.nothing', messageExpression: '1' },
    { rule: costly, messageExpression: costlyMessage },
  ),
  'faults inside and outside': {
    type: 'object',
    properties: { inner: ofMany({ rule: costly, optionalOldSelf: true }, { rule: 'self.nothing' }) },
    [RULES]: [
      { rule: 'self.nothing', messageExpression: '1' },
      { rule: 'true', optionalOldSelf: true },
    ],
  },
  'faults in a map and in a list': {
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string', [RULES]: [{ rule: 'self == oldSelf' }] } },
    [RULES]: [{ rule: 'self.all(k, self[k].all(v, v.matches(k)))', optionalOldSelf: true }],
  },
  'old values of what is replaced as a whole': {
    type: 'object',
    'x-kubernetes-map-type': 'atomic',
    properties: {
      inner: {
        type: 'object',
        properties: { deep: ofMany({ rule: 'self == oldSelf' }) },
        [RULES]: [{ rule: 'self == oldSelf' }, { rule: 'true', optionalOldSelf: true }],
      },
    },
    [RULES]: [{ rule: 'self == oldSelf' }, { rule: 'self.nothing' }],
  },
  'old values in lists in lists': {
    type: 'array',
    items: {
      type: 'object',
      properties: { inner: { type: 'array', items: { type: 'string', [RULES]: [{ rule: 'self == oldSelf' }] } } },
    },
  },
  'faults of the schema and of rules': {
    type: 'object',
    properties: {
      a: ofMany({ rule: '', message: ' ' }, { rule: 'true', reason: 'No', fieldPath: '.no', messageExpression: ' ' }),
      b: { type: 'string', [RULES]: [{ rule: 'self.nothing', optionalOldSelf: true }] },
    },
    [RULES]: [{ rule: 'self.nothing' }],
  },
}

it('the faults of rules come in the order of the reference', async () => {
  await using opened = new AsyncDisposableStack()
  const both = await openBoth(opened)
  for (const [name, spec] of Object.entries(ROWS)) {
    const [theirs, ours] = await Promise.all(both.map((server) => faultsOf(server, spec)))
    expect(theirs, name).not.toEqual([])
    expect.soft(ours, name).toEqual(theirs)
  }
})

/** As the causes say them. */
async function faultsOf(server: OpenServer, schema: object): Promise<readonly object[]> {
  const version = (name: string, storage: boolean): object => ({
    name,
    served: true,
    storage,
    schema: { openAPIV3Schema: { type: 'object', properties: { spec: schema } } },
  })
  const names = { plural: 'widgets', kind: 'Widget' }
  const versions = [version('v1', true), version('v2', false)]
  const spec = { group: 'example.com', names, scope: 'Namespaced', versions }
  const body = { metadata: { name: 'widgets.example.com' }, spec }
  const answer = await server.request(`${DEFINITIONS}?dryRun=All`, { method: 'POST', body })
  expect(answer.status).toBe(422)
  return (answer.json() as { details: { causes: readonly object[] } }).details.causes
}
