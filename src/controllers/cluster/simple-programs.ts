// The run of a simulated container whose command only waits or ends: `sleep`, `true`, `false`, or a shell script of these, `exit` and
// `echo`.

export interface ProgramRun {
  /** `Infinity`: the program does not end. */
  readonly runMs: number
  readonly exitCode: number
}

const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'ash', 'dash'])
const UNIT_MS = { '': 1000, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const LONGEST_SCRIPT = 1000
const ENDLESS = /^\s*while (?:true|:)\s*[;\n]\s*do\s.*[;\n]\s*done\s*$/s
const WAY_OUT = /\b(?:break|exit|return)\b/
/** Statements that follow one another. Quotes, variables, pipes and jobs in the background are not understood. */
const PLAIN_SCRIPT = /^(?:[\w\s.,:;/!-]|&&)*$/

/** Undefined: the behaviour of the command is not known. */
export function programRun([program = '', ...rest]: readonly string[]): ProgramRun | undefined {
  const name = program.slice(program.lastIndexOf('/') + 1)
  if (!SHELLS.has(name)) return name === 'sleep' || rest.length === 0 ? statementRun([name, ...rest]) : undefined
  const [flag, script] = rest
  return flag === '-c' && script !== undefined && script.length <= LONGEST_SCRIPT ? scriptRun(script) : undefined
}

function scriptRun(script: string): ProgramRun | undefined {
  if (ENDLESS.test(script) && !WAY_OUT.test(script)) return { runMs: Infinity, exitCode: 0 }
  if (!PLAIN_SCRIPT.test(script)) return undefined
  let run: ProgramRun = { runMs: 0, exitCode: 0 }
  for (const list of script.split(/[;\n]/)) {
    for (const statement of list.split('&&')) {
      const words = statement.trim().split(/\s+/)
      if (words[0] === '') continue
      const next = statementRun(words)
      if (next === undefined) return undefined
      run = { runMs: run.runMs + next.runMs, exitCode: next.exitCode }
      if (words[0] === 'exit') return run
      if (run.exitCode !== 0) break
    }
  }
  return run
}

function statementRun([name, ...rest]: readonly string[]): ProgramRun | undefined {
  const [first = ''] = rest
  if (name === 'true' || name === ':' || name === 'echo') return { runMs: 0, exitCode: 0 }
  if (name === 'false') return { runMs: 0, exitCode: 1 }
  if (rest.length !== 1) return undefined
  if (name === 'exit') return /^\d{1,3}$/.test(first) ? { runMs: 0, exitCode: Number(first) % 256 } : undefined
  if (name !== 'sleep') return undefined
  if (/^inf(?:inity)?$/.test(first)) return { runMs: Infinity, exitCode: 0 }
  const [, count, unit = ''] = /^(\d{1,12}(?:\.\d{1,9})?)([smhd]?)$/.exec(first) ?? []
  return count === undefined ? undefined : { runMs: Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS], exitCode: 0 }
}
