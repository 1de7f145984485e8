// Many objects, watchers, definitions and nodes, on this server and on the reference in turns, each on an etcd of its own. Each
// scenario prints a table: what both took, as a ratio, and how that grew from the size before. For less: `SIZES=10000,100000` (config
// maps), `PODS=`, `WATCHERS=`, `DEFINITIONS=`, `NODES=`, `SCENARIOS=configmaps,watchers`, `ROUNDS=1`, `REFERENCE=off`.
import { measureDefinitions } from './scale/definitions.ts'
import { measureNodes } from './scale/nodes.ts'
import { readSettings, type Settings } from './scale/settings.ts'
import { measureConfigMaps, measurePods } from './scale/stored-objects.ts'
import { measureWatchers } from './scale/watchers.ts'
import { makeSubjects, type Subject } from './scale/subject.ts'

type Scenario = (subjects: readonly Subject[], settings: Settings) => Promise<void>

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  configmaps: measureConfigMaps,
  pods: measurePods,
  watchers: measureWatchers,
  definitions: measureDefinitions,
  nodes: measureNodes,
}

export async function bench(): Promise<void> {
  const settings = readSettings()
  const wanted = settings.scenarios ?? Object.keys(SCENARIOS)
  for (const name of wanted) {
    const scenario = SCENARIOS[name]
    if (scenario === undefined) {
      throw new Error(`no scenario is called ${name}; there are: ${Object.keys(SCENARIOS).join(', ')}`)
    }
    const began = performance.now()
    const subjects = await makeSubjects(settings.withReference)
    try {
      await scenario(subjects, settings)
    } finally {
      for (const subject of subjects) await subject[Symbol.asyncDispose]()
    }
    process.stdout.write(`\n${name}: ${((performance.now() - began) / 1_000).toFixed(0)} s in all\n`)
  }
}
