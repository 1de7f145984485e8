import { expect, it } from 'vitest'
import { compareVersions, isVersion } from '../../../../src/kinds/shared/semantic-version.ts'

it('versions are in the order of semver.org', () => {
  const inOrder = [
    '0.0.1',
    '1.0.0-1',
    '1.0.0-2',
    '1.0.0-10',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    '1.2.0',
    '1.10.0',
    '99999999999999999999.0.0',
  ]
  for (const [i, a] of inOrder.entries()) {
    for (const [j, b] of inOrder.entries()) expect(Math.sign(compareVersions(a, b)), `${a} ${b}`).toBe(Math.sign(i - j))
  }
  expect(compareVersions('1.0.0+a', '1.0.0+b')).toBe(0)
})

it.each(['1', '1.2', 'v1.2.3', '01.2.3', '1.2.3-', '1.2.3-01', '', '1.2.3.4'])('%s is no version', (text) => {
  expect(isVersion(text)).toBe(false)
})
