// The operator of the examples, tested from other languages as their users would do it: its tests of the same names, run by `quarterdeck
// test`, which know the operator as a program beside them and the server by KUBECONFIG.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { COMMAND } from '../rigs/command.ts'
import { buildGoTests, GO_BUILD_LIMIT_MS, OPERATOR_IN_GO } from '../rigs/go-client.ts'
import { fetchPythonClient, PYTHON_FETCH_LIMIT_MS } from '../rigs/python-client.ts'
import { newHome } from '../rigs/server-process.ts'

const execute = promisify(execFile)
const OPERATOR = path.dirname(OPERATOR_IN_GO)

/** `a site > has defaults`, of all tests in TypeScript. */
function namesInTypeScript(): readonly string[] {
  const text = readFileSync(path.join(OPERATOR, 'operator.test.ts'), 'utf8')
  const names: string[] = []
  let group = ''
  let rows: string[] = []
  for (const line of text.split('\n')) {
    group = /^describe\('(.+?)'/.exec(line)?.[1] ?? group
    if (/^ {2}(?:test|definitionTest)\.for\(/.test(line)) rows = []
    rows.push(...Array.from(line.matchAll(/^ {4}\['(.+?)', \{/g), ([, row]) => row!))
    const name = /^ {2}(?:test|definitionTest|\] as const\))\('(.+?)', async/.exec(line)?.[1]
    if (name !== undefined) names.push(...expanded(name, rows).map((one) => `${group} > ${one}`))
  }
  return names
}

function expanded(name: string, rows: readonly string[]): readonly string[] {
  return name.includes('%s') ? rows.map((row) => name.replace('%s', row)) : [name]
}

interface Tests {
  readonly command: readonly string[]
  readonly folder: string
  readonly env?: Readonly<Record<string, string>>
}

async function run({ command, folder, env = {} }: Tests): Promise<string> {
  // The operator runs on the Node of the tests.
  const PATH = `${path.dirname(process.execPath)}${path.delimiter}${process.env['PATH']}`
  const { stdout, stderr } = await execute(
    process.execPath,
    [COMMAND, 'test', '--dev', '--virtual-clock', '--', ...command],
    { cwd: folder, env: { PATH, HOME: await newHome(), ...env }, maxBuffer: 16 << 20 },
  )
  return stdout + stderr
}

it('has the tests in TypeScript by their names', () => {
  expect(namesInTypeScript()).toHaveLength(34)
  expect(namesInTypeScript()).toContain('a site > is refused with too many replicas')
})

it('passes the same tests in Go, with controller-runtime', { timeout: GO_BUILD_LIMIT_MS }, async () => {
  const program = await buildGoTests(OPERATOR_IN_GO)
  const printed = await run({ command: [program, '-test.v'], folder: OPERATOR_IN_GO })
  const passed = Array.from(printed.matchAll(/--- PASS: TestOperator\/(\S+)\/(\S+) /g), ([, group, name]) =>
    `${group} > ${name}`.replaceAll('_', ' '),
  )
  expect(passed).toEqual(namesInTypeScript())
})

it('passes the same tests in Python, with the official client', { timeout: PYTHON_FETCH_LIMIT_MS }, async () => {
  const python = await fetchPythonClient()
  const folder = path.join(OPERATOR, 'python')
  const env = { ...python.env, PYTHONDONTWRITEBYTECODE: '1' }
  const printed = await run({ command: [python.path, 'operator_test.py'], folder, env })
  expect(Array.from(printed.matchAll(/^(.+? > .+?) \.\.\. /gm), ([, name]) => name)).toEqual(namesInTypeScript())
})

it('is given the definition that is made of its type', async () => {
  const args = ['define', 'site.ts', '--check', 'site.yaml']
  await execute(process.execPath, [COMMAND, ...args], { cwd: OPERATOR, env: { HOME: await newHome() } })
})
