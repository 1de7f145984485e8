import { execFileSync } from 'node:child_process'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { COMMAND_FLAGS, type CommandWords, flagsOfCommand } from '../../../src/commands/command-flags.ts'
import { runCommand } from '../../../src/commands/commands.ts'
import { runCompletion } from '../../../src/commands/completion.ts'
import type { Flag } from '../../../src/config/flags.ts'
import { gatesAt } from '../../../src/config/feature-gates.ts'

const ALL = Object.keys(COMMAND_FLAGS) as CommandWords[]
/** Those that do something by themselves. */
const PATHS = ALL.filter((words) => !['store', 'explain'].includes(words))
/** These take any number of files. */
const TAKES_FILES = ['convert', 'check', 'lint-rbac', 'record-role']
const EVERY_FLAG: readonly Flag[] = [...new Map(ALL.flatMap(flagsOfCommand).map((flag) => [flag.name, flag])).values()]

let told = ''

beforeEach(() => {
  told = ''
  const note = (text: string | Uint8Array): boolean => {
    told += String(text)
    return true
  }
  vi.spyOn(process.stderr, 'write').mockImplementation(note)
  vi.spyOn(process.stdout, 'write').mockImplementation(note)
  return () => vi.restoreAllMocks()
})

/** What the command says of the arguments. */
async function saidBy(words: string, ...args: readonly string[]): Promise<string> {
  told = ''
  const rest = words === 'test' ? ['--', 'true'] : []
  expect(await runCommand([...words.split(' '), ...args, ...rest], {}), told).toBe(2)
  return told
}

/** Arguments are read in order, and the last of these is never taken. */
async function accepts(words: string, flag: string, ...value: readonly string[]): Promise<boolean> {
  const said = await saidBy(words, flag, ...value, '--surely-not-a-flag')
  expect(said).toMatch(/unknown flag -/)
  return !said.includes(`unknown flag ${flag.replace(/=.*/, '')}`)
}

async function scriptOf(shell: string): Promise<string> {
  told = ''
  await runCompletion([shell])
  return told
}

/** What bash offers for each of the lines, whose last word is completed. */
function offered(script: string, lines: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const asked = lines.map((words) => {
    const quoted = ['quarterdeck', ...words].map((word) => `'${word}'`).join(' ')
    return `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; _quarterdeck; echo "\${COMPREPLY[*]}"`
  })
  const output = execFileSync('bash', ['--norc'], { input: `${script}\n${asked.join('\n')}\n` }).toString()
  return output
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' ').filter((word) => word !== ''))
}

describe('completion in bash', () => {
  it('offers for every command exactly the flags that it takes', async () => {
    const script = await scriptOf('bash')
    const answers = offered(
      script,
      PATHS.map((words) => [...words.split(' '), '-']),
    )
    for (const [i, words] of PATHS.entries()) {
      const taken: string[] = []
      for (const { name, kind, short } of EVERY_FLAG) {
        const value = kind === 'switch' ? '' : '=1'
        if (await accepts(words, `--${name}${value}`)) taken.push(`--${name}`)
        if (short !== undefined && !taken.includes(`-${short}`) && (await accepts(words, `-${short}`, '1')))
          taken.push(`-${short}`)
      }
      const alsoOffered = ['--help', '-h', ...(words === 'serve' ? ['--version'] : [])]
      expect(answers[i]!.toSorted(), words).toEqual([...taken, ...alsoOffered].sort())
    }
  })

  it('offers every command, and the subcommands of each', async () => {
    const script = await scriptOf('bash')
    const [commands, ofBackup, ofStore, ofHelp] = offered(script, [[''], ['backup', ''], ['store', ''], ['help', '']])
    expect(commands).toEqual([...ALL.filter((words) => !words.includes(' ')), '--help', '--version'])
    expect(ofHelp).toEqual(ALL.filter((words) => !words.includes(' ')))
    expect([ofBackup, ofStore]).toEqual([['verify'], ['serve']])
  })

  it('offers the words of every enumerated flag, also behind an equals sign', async () => {
    const script = await scriptOf('bash')
    const rows = PATHS.flatMap((words) =>
      flagsOfCommand(words)
        .filter(({ values }) => values !== undefined)
        .map((flag) => ({ words, name: `--${flag.name}`, values: flag.values!.filter((value) => value !== '*') })),
    )
    const spaced = offered(
      script,
      rows.map(({ words, name }) => [...words.split(' '), name, '']),
    )
    const joined = offered(
      script,
      rows.map(({ words, name }) => [...words.split(' '), name, '=']),
    )
    const whole = offered(
      script,
      rows.map(({ words, name }) => [...words.split(' '), `${name}=`]),
    )
    expect(spaced).toEqual(rows.map(({ values }) => values))
    expect(joined).toEqual(spaced)
    expect(whole).toEqual(rows.map(({ name, values }) => values.map((value) => `${name}=${value}`)))
    expect(rows.length).toBeGreaterThan(30)
  })

  it.each([
    [['serve', '--authorization-mode', 'Node,R'], ['Node,RBAC']],
    [
      ['serve', '--feature-gates', 'ObjectH'],
      ['ObjectHistory=true', 'ObjectHistory=false'],
    ],
    [['serve', '--feature-gates', 'ObjectHistory', '=', 't'], ['true']],
    [
      ['serve', '--in-memory', '='],
      ['true', 'false'],
    ],
    [['serve', '--in-memory', ''], []],
    [['serve', '--secure-port', ''], []],
    [['serve', '--workers', ''], ['auto']],
    [['serve', '--workers', '=', 'a'], ['auto']],
    [['serve', '--data-dir', '/pro'], ['/proc']],
    [['init', '/pro'], ['/proc']],
    [['check', ''], []],
    [['test', '--', '--in'], []],
  ])('%j: %j', async (words, expected) => {
    expect(offered(await scriptOf('bash'), [words])).toEqual([expected])
  })

  it('offers every feature gate', async () => {
    const [gates] = offered(await scriptOf('bash'), [['serve', '--feature-gates', '']])
    expect(gates).toEqual(Object.keys(gatesAt()).flatMap((gate) => [`${gate}=true`, `${gate}=false`]))
  })
})

it('completion in zsh is that of bash, and fish has a rule for every flag', async () => {
  const [bash, zsh, fish] = [await scriptOf('bash'), await scriptOf('zsh'), await scriptOf('fish')]
  expect(zsh).toContain(bash)
  for (const words of PATHS) {
    const rules = Array.from(
      fish.matchAll(new RegExp(`'__quarterdeck_at ${words}' -l (\\S+)`, 'g')),
      ([, name]) => name,
    )
    const version = words === 'serve' ? ['version'] : []
    expect(rules, words).toEqual([...flagsOfCommand(words).map(({ name }) => name), 'help', ...version])
  }
})

describe('every command', () => {
  it.each(PATHS)('%s refuses what is empty or misses its value, and says what to do', async (words) => {
    for (const { name, kind, group } of flagsOfCommand(words)) {
      if (kind === 'switch' || group !== 'Flags') continue
      expect(await saidBy(words, `--${name}=`)).toMatch(new RegExp(`^quarterdeck: --${name} needs a value`))
      expect(await saidBy(words, `--${name}`, '--help-me')).toMatch(new RegExp(`^quarterdeck: --${name} needs a value`))
    }
    if (words === 'serve' || words === 'test') return
    expect(await saidBy(words, '')).toMatch(/^quarterdeck: an argument is empty/)
    expect(await saidBy(words, ' ')).toMatch(/^quarterdeck: an argument is empty/)
    expect(await saidBy(words, '--zzzzzzzz')).toBe(
      `quarterdeck: unknown flag --zzzzzzzz; see quarterdeck ${words.split(' ')[0]} --help\n`,
    )
    if (TAKES_FILES.includes(words)) return
    expect(await saidBy(words, 'a', 'b', 'c', 'd')).toMatch(/^quarterdeck: unexpected argument "[abcd]"/)
  })

  it.each([
    ['version', ['extra'], 'unexpected argument "extra"; see quarterdeck version --help'],
    ['--version', ['extra'], 'unexpected argument "extra"; see quarterdeck version --help'],
    ['serve', ['--version', '--secure-prt=1'], 'unknown flag --secure-prt; did you mean --secure-port?'],
    ['serve', ['--version', 'extra'], 'unexpected argument "extra"; see quarterdeck serve --help'],
    ['help', ['zzzz'], 'unknown command "zzzz"; see quarterdeck help'],
    ['--help', ['zzzz'], 'unknown command "zzzz"; see quarterdeck help'],
    ['help', ['backup', 'zzzz'], 'unknown command "backup zzzz"; see quarterdeck help'],
    ['help', ['bakup'], 'unknown command "bakup"; did you mean backup?'],
    ['explain', ['zzzz'], 'give denied or conflict, not "zzzz"; see quarterdeck explain --help'],
    [
      'healthcheck',
      ['livez'],
      '"livez" is not a path: give one path, such as /livez; see quarterdeck healthcheck --help',
    ],
    ['backup', ['--overwrite', '-'], '--overwrite is for a file, and - is standard output'],
    ['bundle', ['--overwrite', '-'], '--overwrite is for a file, and - is standard output'],
    ['backup', ['--etcd-servers=,', 'x'], '--etcd-servers needs a value; see quarterdeck backup --help'],
    ['migrate', ['--from=a', '--to=b', '--etcd-cafile=x'], '--etcd-cafile requires URLs of an etcd in --from or --to'],
    ['test', ['--workers=2'], '--workers is for quarterdeck serve alone'],
    ['test', ['--healthz-port=1'], '--healthz-port is for quarterdeck serve alone'],
    ['history', [], 'give the kind and the name of the object; see quarterdeck history --help'],
    ['history', ['cm'], 'give the name of the object after its kind, cm; see quarterdeck history --help'],
    ['history', ['cm', 'c', 'x'], 'unexpected argument "x": only --diff takes a third; see quarterdeck history --help'],
    ['history', ['cm', 'c', '--diff', '7'], '--diff 7 needs a second version; see quarterdeck history --help'],
    ['explain denied', ['get'], 'give a resource or a path after get; see quarterdeck explain --help'],
    ['explain denied', ['get', '/x', 'y'], 'y is not for get /x; see quarterdeck explain --help'],
    ['explain denied', ['get', '/x', '-n', 'y'], '--namespace is not for get /x; see quarterdeck explain --help'],
    ['explain denied', ['get', 'pods', '-f', 'x'], '--filename is not for get pods; see quarterdeck explain --help'],
    ['explain denied', ['--context', 'x'], '--context requires VERB and RESOURCE; see quarterdeck explain --help'],
  ])('%s %j is refused, and the message says why', async (words, args, message) => {
    expect(await saidBy(words, ...args)).toBe(`quarterdeck: ${message}\n`)
  })

  it.each([
    ['store serve', ['--in-memory', '--data-dir=x'], '--in-memory and --data-dir'],
    ['store serve', ['--in-memory', '--quota-backend-bytes=9'], '--in-memory and --quota-backend-bytes'],
    ['history', ['cm', 'c', '--diff', '1', '2', '--restore', '1', '--write'], '--diff and --restore'],
    ['history', ['cm', 'c', '--restore=1', '--write', '--dry-run'], '--dry-run and --write'],
    ['explain conflict', ['--filename=x', '--apply=y'], '--filename and --apply'],
    ['backup', ['--data-dir=x', '--etcd-servers=http://127.0.0.1:1', 'y'], '--data-dir and --etcd-servers'],
    ['restore', ['--data-dir=x', '--etcd-servers=http://127.0.0.1:1', 'y'], '--data-dir and --etcd-servers'],
    ['restore', ['--lower-revisions', '--revision-margin=5', 'y'], '--lower-revisions and --revision-margin'],
    ['migrate', ['--lower-revisions', '--revision-margin=0'], '--lower-revisions and --revision-margin'],
    ['doctor', ['--data-dir=x', '--kubeconfig=y'], '--kubeconfig and --data-dir'],
    ['doctor', ['--config=x', '--context=y'], '--context and --config'],
  ])('%s %j: the flags exclude each other', async (words, args, both) => {
    const [command] = words.split(' ')
    expect(await saidBy(words, ...args)).toBe(
      `quarterdeck: ${both} are mutually exclusive; see quarterdeck ${command} --help\n`,
    )
  })

  it.each([
    ['convert', ['--overwrite'], '--overwrite requires --out'],
    ['history', ['cm', 'c', '--write'], '--write requires --restore'],
    ['history', ['cm', 'c', '--dry-run'], '--dry-run requires --restore'],
    ['history', ['cm', 'c', '--restore=1'], '--restore requires --dry-run or --write'],
    ['history', ['cm', 'c', '--restore=1', '--write=false'], '--restore requires --dry-run or --write'],
    ['explain conflict', ['--field-manager=x'], '--field-manager requires --apply'],
    ['explain conflict', ['-n', 'x'], '--namespace requires --apply'],
    ['doctor', ['--etcd-prefix=/x'], '--etcd-prefix requires --data-dir or --etcd-servers or --config'],
    [
      'doctor',
      ['--encryption-provider-config=x'],
      '--encryption-provider-config requires --data-dir or --etcd-servers or --config',
    ],
  ])('%s %j: a flag needs another one', async (words, args, message) => {
    const [command] = words.split(' ')
    expect(await saidBy(words, ...args)).toBe(`quarterdeck: ${message}; see quarterdeck ${command} --help\n`)
  })

  it('shows the manual of a command for the words of a subcommand, and that of version and help', async () => {
    for (const [args, name] of [
      [['help', 'backup', 'verify'], 'backup'],
      [['-h', 'top'], 'top'],
      [['version', '--help'], 'version'],
      [['help', '--help'], 'help'],
    ] as const) {
      told = ''
      expect(await runCommand(args, {})).toBe(0)
      expect(told).toMatch(new RegExp(`^NAME\n +quarterdeck ${name} - `))
    }
  })

  it.each([
    ['serve', ['--port', '1'], 'unknown flag --port; did you mean --secure-port?'],
    ['serve', ['--address', '1'], 'unknown flag --address; did you mean --bind-address?'],
    ['serve', ['--cert-file', '1'], 'unknown flag --cert-file; did you mean --tls-cert-file?'],
    ['backup', ['--overwrit', 'x'], 'unknown flag --overwrit; did you mean --overwrite?'],
    ['init', ['--host', 'a', 'x'], 'unknown flag --host; did you mean --hosts?'],
    ['top', ['-o', 'yaml'], '-o: "yaml" is not one of json'],
    ['doctor', ['--output=yaml'], '--output: "yaml" is not one of json'],
    ['serve', ['--workers', 'some'], '--workers: "some" is not auto or an integer from 1 to 1024'],
    ['history', ['a', 'b', '--limit', '1000'], '--limit: "1000" is not an integer from 1 to 100'],
  ])('%s %j: %s', async (words, args, message) => {
    expect(await saidBy(words, ...args)).toBe(`quarterdeck: ${message}\n`)
  })

  it('lists the words of an enumerated flag where the value is another', async () => {
    for (const words of ['serve', 'convert', 'top', 'doctor'] as const) {
      for (const { name, values, ignored } of flagsOfCommand(words)) {
        if (values === undefined || ignored?.otherwise === 'warn') continue
        const others = name === 'to' ? ['--from=json'] : []
        const said = await saidBy(words, '--'.concat(name, '=surely-wrong'), ...others)
        for (const value of values.map((word) => word.replace(/^-/, '')))
          if (value !== '*' && ignored === undefined && value !== 'table') expect(said, name).toContain(value)
        expect(said).toContain(`--${name}`)
      }
    }
  })
})
