// A vitest reporter that ends a run whose programs cannot be had (`test/tools.test.ts`): most other tests would fail for want of them.
import type { Reporter, TestModule } from 'vitest/node'

export class StopWithoutTools implements Reporter {
  onTestModuleEnd(module: TestModule): void {
    if (module.project.name !== 'tools' || module.ok()) return
    const tests = [...module.children.allTests()]
    const errors = [...module.errors(), ...tests.flatMap((test) => test.result().errors ?? [])]
    for (const { message } of errors) process.stderr.write(`\n${message}\n\n`)
    process.stdout.write('0 passed, 1 failed\n')
    process.exit(1)
  }
}
