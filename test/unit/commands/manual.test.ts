import { describe, expect, it } from 'vitest'
import { gatesAt } from '../../../src/config/feature-gates.ts'
import { FLAGS } from '../../../src/config/flags.ts'
import {
  explainManual,
  healthcheckManual,
  historyManual,
  recordRoleManual,
  topManual,
} from '../../../src/commands/manual-client.ts'
import { completionManual, initManual } from '../../../src/commands/manual-setup.ts'
import { commandManual, serveManual, testManual } from '../../../src/commands/manual.ts'
import {
  backupManual,
  bundleManual,
  doctorManual,
  migrateManual,
  restoreManual,
} from '../../../src/commands/manual-storage.ts'
import { closestWord } from '../../../src/lib/closest-word.ts'

describe('the manual', () => {
  it.each([
    ['quarterdeck', commandManual()],
    ['serve', serveManual()],
    ['test', testManual()],
    ['top', topManual()],
    ['healthcheck', healthcheckManual()],
    ['init', initManual()],
    ['completion', completionManual()],
    ['explain', explainManual()],
    ['record-role', recordRoleManual()],
    ['backup', backupManual()],
    ['restore', restoreManual()],
    ['migrate', migrateManual()],
    ['doctor', doctorManual()],
    ['bundle', bundleManual()],
    ['history', historyManual()],
  ])('of %s fits on a terminal', (_name, text) => {
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([])
  })

  it('names every flag with its default, and every gate', () => {
    const text = serveManual()
    for (const { name } of FLAGS) expect(text).toContain(`--${name}`)
    for (const name of Object.keys(gatesAt())) expect(text).toContain(name)
    expect(text).toMatch(/Default:\s+6443\./)
  })
})

describe('what was probably meant', () => {
  it.each([
    ['secure-prot', 'secure-port'],
    ['Secure-Port', 'secure-port'],
    ['watchlist', undefined],
    ['zzz', undefined],
  ])('%s: %s', (word, meant) => {
    expect(closestWord(word, ['secure-port', 'bind-address'])).toBe(meant)
  })
})
