import { expect, it } from 'vitest'
import { answersProgressRight } from '../../../../src/kv/etcd/cluster.ts'

it.each([
  ['3.3.27', false],
  ['3.4.23', false],
  ['3.4.30', false],
  ['3.4.31', true],
  ['3.5.12', false],
  ['3.5.13', true],
  ['3.5.100', true],
  ['3.6.0', true],
  ['3.6.0-rc.1', true],
  ['3.6.14', true],
  ['4.0.0', true],
  ['2.3.8', false],
  ['', false],
  ['3.6', false],
  ['not a version', false],
])('progress on request from etcd %s is trusted: %s (R-177)', (version, trusted) => {
  expect(answersProgressRight(version)).toBe(trusted)
})
