import { expect, it } from 'vitest'
import { costText, findCost, rulesIn } from '../../../../src/console/web/definition-rules.ts'

it('the rules of a schema are found wherever they are', () => {
  const rule = (text: string) => ({ 'x-kubernetes-validations': [{ rule: text }] })
  const schema = {
    ...rule('top'),
    properties: {
      spec: { properties: { list: { items: rule('item') }, map: { additionalProperties: rule('value') } } },
    },
  }
  expect(rulesIn(schema).map(({ field, rule: text }) => `${field}: ${text}`)).toEqual([
    ': top',
    'spec.list[*]: item',
    'spec.map{*}: value',
  ])
  expect(rulesIn(undefined)).toEqual([])
})

it('a rule finds its cost by its field and its place there', () => {
  const rules = rulesIn({ 'x-kubernetes-validations': [{ rule: 'a' }, { rule: 'a' }] })
  const cost = { field: '', index: 1, cost: 7, hints: [] }
  expect(rules.map((rule) => findCost({ name: 'v1', cost: 7, rules: [cost] }, rule))).toEqual([undefined, cost])
})

it.each([
  [0, '0 (0.00 % of the limit)'],
  [3, '3 (less than 0.01 % of the limit)'],
  [123_456, '123,456 (1.23 % of the limit)'],
  [25_000_000, '25,000,000 (250 % of the limit)'],
])('a cost of %d is %s', (cost, text) => expect(costText(cost, 10_000_000)).toBe(text))
