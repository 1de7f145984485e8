import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { runCommand } from '../../../src/commands/commands.ts'
import { inOneLine } from '../../../src/commands/output.ts'
import { printable } from '../../../src/lib/printable.ts'
import { kubeconfigOf, kubeconfigPlace, writeKubeconfig } from '../../../src/config/admin.ts'
import { tempFolder } from '../../rigs/temp-folder.ts'

const COMMANDS = path.join(import.meta.dirname, '../../../src/commands')
const MAIN = path.join(COMMANDS, '../main.ts')

describe('a text of others', () => {
  it.each([
    ['escape sequences', 'a\x1b[31mb', String.raw`a\u001b[31mb`],
    ['the control characters of eight bits', 'a\x9b31mb', String.raw`a\u009b31mb`],
    ['carriage returns, bells and deletes', '\r\x07\x7f', String.raw`\u000d\u0007\u007f`],
    ['another direction', 'a\u202eb\u2066c\u200f', String.raw`a\u202eb\u2066c\u200f`],
    ['line separators', 'a\u2028b', String.raw`a\u2028b`],
    ['words in any script', 'größe 名前 😀\tx\ny', 'größe 名前 😀\tx\ny'],
  ])('is printed without %s', (_name, text, shown) => {
    expect(printable(text)).toBe(shown)
  })

  it('cannot begin a line of its own', () => {
    expect(inOneLine('a\r\n  verified\n')).toBe(String.raw`a verified`)
  })
})

it('commands print through one file', () => {
  const others = globSync('*.ts', { cwd: COMMANDS }).filter((file) => file !== 'output.ts')
  const direct = others.filter((file) =>
    /process\.std(out|err)\.write/.test(readFileSync(path.join(COMMANDS, file), 'utf8')),
  )
  expect(direct).toEqual([])
})

describe('a command', () => {
  let folder = ''
  let told = ''

  beforeEach(async () => {
    folder = await tempFolder()
    told = ''
    const note = (text: string | Uint8Array): boolean => {
      told += String(text)
      return true
    }
    vi.spyOn(process.stderr, 'write').mockImplementation(note)
    vi.spyOn(process.stdout, 'write').mockImplementation(note)
    return () => vi.restoreAllMocks()
  })

  it.each([
    ['check', 'apiVersion: v1\nkind: "Evil\\e[2J\\n1 object: no errors"\n'],
    [
      'lint-rbac',
      'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: "a\\e[2J\\nb"}\nrules: [{verbs: ["*"], apiGroups: ["*"], resources: ["*"]}]\n',
    ],
  ])('%s prints no control characters of a file', async (command, text) => {
    const file = path.join(folder, 'a.yaml')
    writeFileSync(file, text)
    expect(await runCommand([command, file], {})).toBe(1)
    expect(told).toContain(String.raw`\u001b[2J`)
    expect(told).not.toMatch(/[^\P{Cc}\n]/u)
    expect(told.split('\n').filter((line) => !/^\S+a\.yaml:|^1 object: 1 error$|^$/.test(line))).toEqual([])
  })

  it.each([
    [['top'], '--kubeconfig', 1, 'quarterdeck top: the kubeconfig FILE cannot be read'],
    [['doctor'], '--kubeconfig', 1, 'quarterdeck: the kubeconfig FILE cannot be read'],
    [['bundle', '-'], '--kubeconfig', 1, 'quarterdeck: the kubeconfig FILE cannot be read'],
    [['history', 'a', 'b'], '--kubeconfig', 1, 'quarterdeck history: the kubeconfig FILE cannot be read'],
    [
      ['explain', 'denied', 'get', 'pods'],
      '--kubeconfig',
      1,
      'quarterdeck explain: the kubeconfig FILE cannot be read',
    ],
    [['explain', 'denied'], '-f', 1, 'quarterdeck explain: cannot read FILE'],
    [['explain', 'conflict'], '-f', 1, 'quarterdeck explain: cannot read FILE'],
    [['explain', 'conflict'], '--apply', 1, 'quarterdeck explain: cannot read FILE'],
    [['check'], undefined, 2, 'quarterdeck: cannot read FILE'],
    [['lint-rbac'], undefined, 1, 'quarterdeck lint-rbac: cannot read FILE'],
    [['record-role'], undefined, 1, 'quarterdeck record-role: cannot read FILE'],
    [['record-role', '-f'], undefined, 1, 'quarterdeck record-role: FILE'],
    [['backup', 'verify'], undefined, 1, 'quarterdeck: FILE'],
    [['restore'], undefined, 1, 'quarterdeck: FILE'],
    [['define'], undefined, 1, 'quarterdeck define: FILE'],
    [['backup', 'x'], '--encryption-key-file', 1, 'quarterdeck: --encryption-key-file FILE cannot be read'],
    [['backup', 'x'], '--config', 2, 'quarterdeck: --config FILE: cannot be read'],
    [
      ['store', 'serve', '--listen-client-urls=https://127.0.0.1:0', `--key-file=${MAIN}`],
      '--cert-file',
      1,
      'quarterdeck: --cert-file FILE cannot be read',
    ],
  ])('%j %s names the file that it cannot read', async (words, flag, code, message) => {
    const missing = path.join(folder, 'missing')
    expect(await runCommand([...words, ...(flag === undefined ? [] : [flag]), missing], {})).toBe(code)
    expect(told).toBe(`${message.replace('FILE', missing)}: it does not exist\n`)
  })

  it.each([
    [['explain', 'denied', '-f', 'FILE'], 1, 'quarterdeck explain: FILE is empty: give the Status or the message'],
    [['explain', 'conflict', '-f', 'FILE'], 1, 'quarterdeck explain: FILE is empty: give the Status or the message'],
    [['lint-rbac', 'FILE'], 1, 'quarterdeck lint-rbac: FILE: there is no object with a kind'],
    [['backup', 'verify', '-'], 1, 'quarterdeck: -: a backup is not read from standard input: give a file'],
    [['restore', '-'], 1, 'quarterdeck: -: a backup is not read from standard input: give a file'],
    [
      ['convert', '--to', 'json', 'FILE'],
      2,
      'quarterdeck: convert: --from is required, one of json, yaml, protobuf, cbor, cbor-seq\n',
    ],
    [['migrate', '--from', 'FILE', '--to', 'etcd://a'], 2, 'quarterdeck: --to: "etcd://a" is not http'],
    [['migrate', '--from', 'HTTP://a', '--to', 'FILE'], 2, 'quarterdeck: --from: "HTTP://a" is not http'],
  ])('%j says what is wrong with its input', async (words, code, message) => {
    const file = path.join(folder, 'empty')
    writeFileSync(file, ' \n')
    const named = (text: string): string => text.replace('FILE', file)
    expect(await runCommand(words.map(named), {})).toBe(code)
    expect(told.startsWith(named(message))).toBe(true)
  })

  it.each(['top', 'history'])('%s names a kubeconfig that is a directory', async (command) => {
    expect(await runCommand([command, ...(command === 'history' ? ['a', 'b'] : []), '--kubeconfig', folder], {})).toBe(
      1,
    )
    expect(told).toBe(`quarterdeck ${command}: the kubeconfig ${folder} cannot be read: it is a directory\n`)
  })

  it('names the directory that is no log', async () => {
    expect(await runCommand(['record-role', folder], {})).toBe(1)
    expect(told).toBe(`quarterdeck record-role: cannot read ${folder}: it is a directory\n`)
  })

  it('writes no file whose name ends as that of a directory', async () => {
    const file = path.join(folder, 'file')
    writeFileSync(file, 'kept')
    expect(await runCommand(['bundle', `${file}/`, '--overwrite'], {})).toBe(1)
    expect(told).toBe(`quarterdeck: ${file}/ cannot be written: it names a directory\n`)
  })

  it.each([
    ['backup', '--encryption-key-file', ['--data-dir=nowhere']],
    ['bundle', '--kubeconfig', []],
  ])('does not write a %s over the file of its %s', async (command, flag, flags) => {
    const file = path.join(folder, 'input')
    const text = Buffer.alloc(32).toString('base64')
    writeFileSync(file, text)
    const given = [command, ...flags, `${flag}=${file}`, '--overwrite', path.join(folder, '.', 'input')]
    expect(await runCommand(given, {})).toBe(2)
    expect(told).toBe(`quarterdeck: ${file} cannot be written: it is the file of ${flag}\n`)
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  it('runs no command without a name', async () => {
    expect(await runCommand(['test', '--', ''], {})).toBe(2)
    expect(told).toMatch(/^quarterdeck: give the command to run/)
  })

  it('does not overwrite what it has converted, unless that is asked for', async () => {
    const [one, other] = ['one', 'other'].map((name) => path.join(folder, name, 'a.json'))
    for (const file of [one!, other!]) {
      mkdirSync(path.dirname(file))
      writeFileSync(file, '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}}')
    }
    const convert = ['convert', '--from=json', '--to=yaml', `--out=${path.join(folder, 'out')}`]
    expect(await runCommand([...convert, one!], {})).toBe(0)
    expect(await runCommand([...convert, other!], {})).toBe(1)
    expect(told).toContain(
      `${other}: ${path.join(folder, 'out/a.yaml')} exists: choose another name, or give --overwrite`,
    )
    expect(await runCommand([...convert, '--overwrite', one!], {})).toBe(0)
  })

  it('keeps the kubeconfig of other clusters', async () => {
    const file = path.join(folder, 'config')
    const others = 'apiVersion: v1\nkind: Config\nclusters: [{name: production, cluster: {server: "https://a"}}]\n'
    for (const text of [others, 'not a kubeconfig', '[]']) {
      writeFileSync(file, text)
      expect(await runCommand(['serve', '--in-memory', '--secure-port=0', `--kubeconfig-out=${file}`], {})).toBe(1)
      expect(told).toContain(`--kubeconfig-out ${file} would be overwritten`)
      expect(readFileSync(file, 'utf8')).toBe(text)
    }
  })

  it('writes over its own kubeconfig, also after kubectl has changed it', async () => {
    const place = (name: string): string => kubeconfigPlace(path.join(folder, name), undefined).file
    writeFileSync(path.join(folder, 'empty'), '\n')
    const user = { name: 'admin', credential: { token: 'x' } }
    writeKubeconfig(
      path.join(folder, 'own'),
      kubeconfigOf({ url: 'https://127.0.0.1:6443', authority: undefined, user }),
    )
    writeFileSync(
      path.join(folder, 'changed'),
      'clusters:\n- name: quarterdeck\n  cluster: {server: "https://127.0.0.1:1"}\n',
    )
    for (const name of ['absent', 'empty', 'own', 'changed']) expect(place(name)).toBe(path.join(folder, name))
  })
})

it('a command ends quietly when its reader goes away', () => {
  const { stdout, stderr } = spawnSync('bash', ['-c', `'${process.execPath}' '${MAIN}' serve --help | true`])
  expect([stdout.toString(), stderr.toString()]).toEqual(['', ''])
})

it('the script of bash completes in a shell', () => {
  const complete = `eval "$('${process.execPath}' '${MAIN}' completion bash)"; complete -p quarterdeck`
  expect(execFileSync('bash', ['-c', complete]).toString()).toBe('complete -o default -F _quarterdeck quarterdeck\n')
})
