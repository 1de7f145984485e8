import { describe, expect, it } from 'vitest'
import { describeRule, type PolicyRule } from '../../../src/api/policy-rule.ts'
import { missingRules, missingRulesInSteps } from '../../../src/api/rule-coverage.ts'
import { outOfProportion, processorMilliseconds } from '../../rigs/processor-time.ts'

/** `get list|apps|deployments|name`, or `get@/path` */
function rule(text: string): PolicyRule {
  const [head = '', groups = '', resources = '', names = ''] = text.split('|')
  const [verbs = '', paths = ''] = head.split('@')
  const words = (list: string): string[] => (list === '' ? [] : list.split(' '))
  return {
    verbs: words(verbs),
    apiGroups: text.includes('|') ? groups.split(' ') : [],
    resources: words(resources),
    resourceNames: words(names),
    nonResourceURLs: words(paths),
  }
}

function missing(held: readonly string[], wanted: readonly string[]): readonly string[] {
  return missingRules(held.map(rule), wanted.map(rule)).map(describeRule)
}

describe('what is missing of rules (P-138)', () => {
  it.each<[string, string[], string[], string[]]>([
    ['nothing of nothing', [], [], []],
    ['nothing where it is the same', ['get||pods'], ['get||pods'], []],
    ['a verb', ['get||pods'], ['get delete||pods'], ['{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}']],
    ['nothing where two rules hold a part each', ['get||pods', 'list||pods'], ['get list||pods'], []],
    ['nothing under a star', ['*|*|*'], ['x|y|z', 'get|apps|deployments/scale|n'], []],
    ['paths are no resources', ['*|*|*'], ['get@/x'], ['{NonResourceURLs:["/x"], Verbs:["get"]}']],
    ['nothing below a path with a star', ['get@/x/*'], ['get@/x/y /x/*'], []],
    ['nothing below one of many paths', ['get@/b* /a* /ab* /c/*'], ['get@/abc /b /c/d /a'], []],
    ['a path beside many', ['get@/b* /a* /c/*'], ['get@/c'], ['{NonResourceURLs:["/c"], Verbs:["get"]}']],
    ['nothing below a path with many stars', ['get@/x**y***'], ['get@/x**yz'], []],
    ['nothing of a subresource of everything', ['get||*/log'], ['get||pods/log'], []],
    [
      'the resource of a subresource',
      ['get||*/log'],
      ['get||pods'],
      ['{APIGroups:[""], Resources:["pods"], Verbs:["get"]}'],
    ],
    ['a star from one who has none', ['get||pods'], ['*||pods'], ['{APIGroups:[""], Resources:["pods"], Verbs:["*"]}']],
    ['names from one who has some', ['get||s|a'], ['get||s'], ['{APIGroups:[""], Resources:["s"], Verbs:["get"]}']],
    [
      'another name',
      ['get||s|a'],
      ['get||s|a b'],
      ['{APIGroups:[""], Resources:["s"], ResourceNames:["b"], Verbs:["get"]}'],
    ],
    ['nothing of a name from one who has all', ['get||s'], ['get||s|a'], []],
  ])('%s', (_, held, wanted, expected) => {
    expect(missing(held, wanted)).toEqual(expected)
  })

  it('is found without looking at more combinations than there is time for', () => {
    const many = (letter: string): string => Array.from({ length: 500 }, (_, i) => `${letter}${i}`).join(' ')
    const huge = `${many('v')}|${many('g')}|${many('r')}|${many('n')}`
    const cover = (): void => {
      expect(missingRules([rule('get||pods')], [rule(huge), rule('get||pods')])).toHaveLength(1)
      expect(missingRules([rule('*|*|*')], [rule(huge)])).toEqual([])
    }
    expect(processorMilliseconds(cover)).toBeLessThan(5000)
  })

  it.each<[string, (i: number) => string]>([
    ['names', (i) => `get||pods|n${i}`],
    ['verbs', (i) => `v${i}||pods`],
    ['resources', (i) => `get||r${i}`],
    ['groups', (i) => `get|g${i}|pods`],
  ])('is found in time where somebody holds thousands of rules of different %s', (_, make) => {
    const rules = (from: number, size: number): PolicyRule[] =>
      Array.from({ length: size }, (_each, i) => rule(make(from + i)))
    const run = (size: number): void => {
      expect(missingRules(rules(0, size), rules(0, size))).toEqual([])
      expect(missingRules(rules(0, size), rules(size, size))).not.toEqual([])
    }
    expect(outOfProportion(2_000, run)).toBe('')
  })

  it('is found in time among thousands of rules that are nearly enough', () => {
    const many = (size: number, make: (i: number) => string): PolicyRule[] =>
      Array.from({ length: size }, (_, i) => rule(make(i)))
    const run = (size: number): void => {
      const held = [...many(size, () => 'get||pods|x'), ...many(size, () => 'list||secrets|x')]
      expect(
        missingRules(
          held,
          many(size, (i) => `get||secrets r${i}|x`),
        ),
      ).not.toEqual([])
    }
    expect(outOfProportion(4_000, run)).toBe('')
  })

  it('is found in short steps, which end when enough is missing', () => {
    const rules = Array.from({ length: 20_000 }, (_, i) => rule(`get||r${i}`))
    const steps = missingRulesInSteps(
      rules,
      rules.map((each) => ({ ...each, verbs: ['put'] })),
      10,
    )
    const taken: number[] = []
    let found: IteratorResult<undefined, readonly PolicyRule[]> = steps.next()
    while (found.done !== true) taken.push(processorMilliseconds(() => void (found = steps.next())))
    expect(found.value).toHaveLength(11)
    expect(taken.length).toBeGreaterThan(200)
    expect(Math.max(...taken)).toBeLessThan(50)
  })

  it('is found in time among thousands of paths', () => {
    const paths = (end: string, size: number): string =>
      `get@${Array.from({ length: size }, (_, i) => `/p${i}/${end}`).join(' ')}`
    expect(
      outOfProportion(8_000, (size) => {
        expect(missing([paths('*', size)], [paths('x', size)])).toEqual([])
      }),
    ).toBe('')
    expect(outOfProportion(100_000, (size) => void missing([`get@/${'*'.repeat(size)}x*`], ['get@/y']))).toBe('')
  })
})
