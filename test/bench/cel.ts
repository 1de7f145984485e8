// Expressions: compiling them, evaluating them, and how soon one that would take forever is ended. Processor time is the
// steadiest figure on a shared machine.
import { compile, DYN, type Environment, type Json, type Program, STRING, typeOfSchema } from '../../src/cel/cel.ts'

const LIMIT = 1_000_000

const POD: Json = {
  metadata: { name: 'web-1', namespace: 'team', labels: { app: 'web', tier: 'front' } },
  spec: {
    containers: Array.from({ length: 5 }, (_, i) => ({
      name: `c${i}`,
      image: `registry.example.com/team/app-${i}:v1.2.${i}`,
      resources: { limits: { cpu: '500m', memory: '256Mi' } },
      securityContext: { privileged: false },
    })),
  },
}

const LIST = typeOfSchema({ type: 'object', properties: { l: { type: 'array', items: { type: 'integer' } } } }, false)

const ENVIRONMENT: Environment = {
  variables: new Map([
    ['object', DYN],
    ['name', STRING],
    ['self', LIST ?? DYN],
  ]),
}

const EXPRESSIONS: Readonly<Record<string, string>> = {
  comparison: "object.metadata.name == 'web-1'",
  label: "'app' in object.metadata.labels && object.metadata.labels.app.startsWith('we')",
  containers: 'object.spec.containers.all(c, !has(c.securityContext.privileged) || !c.securityContext.privileged)',
  images: "object.spec.containers.all(c, c.image.matches('^registry[.]example[.]com/[a-z/0-9-]+:v[0-9.]+$'))",
  quantities: "object.spec.containers.all(c, quantity(c.resources.limits.memory).isLessThan(quantity('1Gi')))",
  transform: "object.spec.containers.filter(c, c.name != 'c0').map(c, c.image).size() == 4",
}

export function bench(): Promise<void> {
  for (const [name, expression] of Object.entries(EXPRESSIONS)) {
    measure(`compile ${name}`, 2_000, () => compile(expression, ENVIRONMENT))
    const program = programOf(expression)
    measure(`evaluate ${name}`, 20_000, () => program.evaluate({ object: POD }, LIMIT))
  }
  const endless = programOf('self.l.all(x, self.l.all(y, self.l.all(z, x + y + z >= 0)))')
  const self = { l: Array.from({ length: 300 }, (_, i) => i) }
  measure('end a loop over 300 × 300 × 300', 5, () => endless.evaluate({ self }, LIMIT))
  return Promise.resolve()
}

function programOf(expression: string): Program {
  const compiled = compile(expression, ENVIRONMENT)
  if (compiled.kind === 'refused') throw new Error(compiled.text)
  return compiled.program
}

function measure(name: string, times: number, work: () => unknown): void {
  for (let i = 0; i < Math.min(times, 500); i++) work()
  const before = process.cpuUsage()
  for (let i = 0; i < times; i++) work()
  const { user, system } = process.cpuUsage(before)
  console.log(`  ${name.padEnd(36)} ${((user + system) / times).toFixed(2).padStart(10)} µs`)
}
