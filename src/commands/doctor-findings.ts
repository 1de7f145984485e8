// The findings of `quarterdeck doctor`: a subject, its fault and a remedy.
import { inOneLine } from './output.ts'

export interface Finding {
  /** The kind of check: `orphan`, `certificate`, … */
  readonly check: string
  /** `ConfigMap default/a`, `serving certificate` */
  readonly subject: string
  readonly problem: string
  readonly remedy: string
  /** Whether `--fix` has carried out the remedy. */
  readonly fixed?: boolean
}

export interface Diagnosis {
  /** The number of examined objects. */
  readonly objects: number
  readonly findings: readonly Finding[]
}

export function formatDiagnosis({ objects, findings }: Diagnosis): string {
  const lines = findings.map(({ check, subject, problem, remedy, fixed }) =>
    inOneLine(`${check}: ${subject}: ${problem}; ${fixed === true ? 'fixed' : remedy}`),
  )
  const open = findings.filter(({ fixed }) => fixed !== true).length
  const summary = `${objects} objects, ${open === 0 ? 'nothing found' : `${open} ${open === 1 ? 'finding' : 'findings'}`}`
  return [...lines, summary, ''].join('\n')
}
