import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { levelsOf, logOf, LOG_COMPONENTS, setLogLevel } from '../../../src/lib/log.ts'
import { openLog } from '../../../src/telemetry/logger.ts'

const SOURCES = path.join(import.meta.dirname, '../../../src')

describe('the levels of a log', () => {
  it('are all that of the log at first, and each can be set by itself', () => {
    const log = openLog('warn', undefined)
    expect(levelsOf(log)).toEqual(Object.fromEntries(LOG_COMPONENTS.map((component) => [component, 'warn'])))
    setLogLevel(log, 'debug', 'cache')
    expect(levelsOf(log)).toMatchObject({ cache: 'debug', server: 'warn', storage: 'warn' })
    expect(log.level).toBe('warn')
  })

  it('are set together where no component is named, those too that were set by themselves', () => {
    const log = openLog('info', undefined)
    setLogLevel(log, 'debug', 'cache')
    setLogLevel(log, 'error')
    expect(new Set(Object.values(levelsOf(log)))).toEqual(new Set(['error']))
    expect(log.level).toBe('error')
  })

  it('are not there of a log without any, which stays as it is', () => {
    const lines: string[] = []
    const tell = (_: object, text: string): void => void lines.push(text)
    const plain = { debug: tell, info: tell, warn: tell, error: tell }
    setLogLevel(plain, 'silent')
    expect(levelsOf(plain)).toEqual({})
    logOf(plain, 'cache').info({}, 'told')
    expect(lines).toEqual(['told'])
  })
})

it('a line of a log has no characters that a terminal obeys, and means the same', () => {
  const name = 'a\x1b[2J\x9b31m\u202eb\u2028c'
  const program = `import { openLog } from '${path.join(SOURCES, 'telemetry/logger.ts')}'
    openLog('info', undefined).of('cache').info({ name: ${JSON.stringify(name)} }, 'told')`
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program])
  expect(stderr.toString()).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}|\u2028/u)
  expect(JSON.parse(stderr.toString())).toMatchObject({ name, msg: 'told', component: 'cache' })
})
