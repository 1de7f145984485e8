import { describe, expect, it } from 'vitest'
import { CONTROLLER_NAMES, switchedOff } from '../../../src/config/controller-names.ts'

describe('--controllers', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['all are on', ['*'], []],
    ['all but one', ['*', '-garbage-collector'], ['garbage-collector']],
    ['by the names of kube-controller-manager', ['*', '-garbage-collector-controller'], ['garbage-collector']],
    [
      'by its older names',
      ['*', '-garbagecollector', '-root-ca-cert-publisher'],
      ['garbage-collector', 'root-ca-certificate-publisher'],
    ],
    ['one alone', ['namespace'], CONTROLLER_NAMES.filter((name) => name !== 'namespace')],
    ['none', ['-namespace'], CONTROLLER_NAMES],
    ['off wins over on', ['*', 'namespace', '-namespace'], ['namespace']],
  ])('%s', (_title, list, off) => {
    expect([...switchedOff(list)].toSorted()).toEqual([...off].toSorted())
  })

  it('tells what was probably meant', () => {
    expect(() => switchedOff(['*', '-garbage-colector'])).toThrow(
      '--controllers: unknown controller "garbage-colector"; did you mean garbage-collector?',
    )
  })
})
