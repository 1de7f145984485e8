import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { readConfigFile } from '../../../src/config/config-file.ts'
import { configTemplate } from '../../../src/config/config-template.ts'
import { FLAGS } from '../../../src/config/flags.ts'

function written(text: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'quarterdeck-template-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = path.join(folder, 'quarterdeck.yaml')
  writeFileSync(file, text)
  return file
}

const USED = FLAGS.filter(({ name, ignored }) => name !== 'config' && ignored === undefined)

it('sets what it is given and nothing else', async () => {
  const text = configTemplate({ 'data-dir': 'C:\\data "here" # no comment', 'secure-port': '7443' })
  const settings = await readConfigFile(written(text))
  expect(Object.fromEntries(Array.from(settings, ([name, setting]) => [name, setting.text]))).toEqual({
    'data-dir': 'C:\\data "here" # no comment',
    'secure-port': '7443',
  })
})

it('has every flag with its default, which can be uncommented as it stands', async () => {
  const text = configTemplate({}).replaceAll(/^#(?=[a-z])/gm, '')
  const lines = text.split('\n')
  const hasDefault = USED.filter(({ fallback }) => fallback !== undefined)
  // Numbers that have no default would be empty, which YAML reads as nothing.
  const settings = await readConfigFile(written(lines.filter((line) => !line.endsWith(': ')).join('\n')))
  for (const { name, fallback } of hasDefault) expect(settings.get(name)?.text, name).toBe(fallback)
  expect(lines.filter((line) => /^[a-z]/.test(line)).map((line) => line.split(':')[0])).toEqual(
    USED.map(({ name }) => name),
  )
})

it('explains each of them above it', () => {
  expect(configTemplate({})).toMatch(/\n# Port to serve HTTPS on; 0 for any free port\.\n#secure-port: 6443\n/)
  expect(
    configTemplate({})
      .split('\n')
      .filter((line) => line.startsWith('# ') && line.length > 100),
  ).toEqual([])
})
