// A vitest reporter that ends every run with one plain line, `N passed, N failed`, for people and for machines to find; before it,
// a line for each failure, since the end of a long log is the part that is always kept.
import type { Reporter, SerializedError, TestModule } from 'vitest/node'

type Counts = { passed: number; skipped: number; failures: string[] }

/** Of a message; the rest of it is above, with its place in the source. */
const SHOWN_CHARACTERS = 400

function count(modules: readonly TestModule[]): Counts {
  const counts: Counts = { passed: 0, skipped: 0, failures: [] }
  for (const module of modules) {
    const failuresBefore = counts.failures.length
    for (const test of module.children.allTests()) {
      const { state, errors } = test.result()
      if (state === 'passed') counts.passed++
      else if (state === 'failed') counts.failures.push(describe(module, test.fullName, errors))
      else counts.skipped++
    }
    // A file that could not be loaded, or whose hooks failed, has no failed test of its own and is a failure all the same.
    if (counts.failures.length === failuresBefore && module.state() === 'failed') {
      counts.failures.push(describe(module, 'could not run', errorsOutsideTests(module)))
    }
  }
  return counts
}

function errorsOutsideTests(module: TestModule): readonly SerializedError[] {
  return [...module.errors(), ...[...module.children.allSuites()].flatMap((suite) => suite.errors())]
}

function describe(module: TestModule, name: string, errors: readonly SerializedError[] | undefined): string {
  return `failed: ${module.relativeModuleId} ${name}: ${shortened(errors?.[0]?.message ?? 'no message')}`
}

/** A program's last words are at the end of a message, what went wrong at its beginning. */
function shortened(message: string): string {
  const line = message.replaceAll(/\s+/g, ' ')
  if (line.length <= 2 * SHOWN_CHARACTERS) return line
  return `${line.slice(0, SHOWN_CHARACTERS)} … ${line.slice(-SHOWN_CHARACTERS)}`
}

export class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const { passed, skipped, failures } = count(modules)
    failures.push(...unhandledErrors.map(({ message }) => `failed outside of a test: ${shortened(message)}`))
    for (const failure of failures) process.stdout.write(`${failure}\n`)
    const line = `${passed} passed, ${failures.length} failed`
    process.stdout.write(`${skipped > 0 ? `${line}, ${skipped} skipped` : line}\n`)
  }
}
