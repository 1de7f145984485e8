// The recorded answers of the scenarios, by level of the API. `<scenario>.recorded.json` has the answers at the oldest level.
// `level-<level>.json` has what a later level answers otherwise: by scenario and step, a merge patch (RFC 7386).
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'

/** The oldest first. */
export const LEVELS = ['1.36', '1.37']

/**
 * The steps at a level that this server answers as at the level before, by decisions of `behaviours/decisions.md`: D37, where the reference
 * only says less than before, and D34.
 */
const EXCEPTED = {
  1.37: {
    'platform/policy-warn-and-invalid': [16],
    'platform/rbac-validation': [0],
    'platform/updates-refused': [14, 15],
    'writes/apply-refused': [4, 6],
    'writes/delete-options': [22],
    'writes/json-patch-refused': [15, 16],
    'writes/strategic-refused': [13, 16],
    'writes/update-faults-once': [8],
    'writes/update-immutable-others': [4, 6],
    'writes/validation-autoscaler-budget': [0],
  },
}

const recordingOf = (folder, scenario) => path.join(folder, `${scenario}.recorded.json`)
const differencesAt = (folder, level) => path.join(folder, `level-${level}.json`)

/** Every step of a scenario as the reference of that level answers it; with `isOurs`, as this server does. */
export async function recordedSteps(folder, scenario, { level = LEVELS.at(-1), isOurs = false } = {}) {
  let steps = await readJson(recordingOf(folder, scenario))
  for (const later of LEVELS.slice(1, placeOf(level) + 1)) {
    const patches = (await readJson(differencesAt(folder, later)))[scenario] ?? {}
    const excepted = (isOurs && EXCEPTED[later]?.[scenario]) || []
    steps = steps.map((step, i) => (patches[i] === undefined || excepted.includes(i) ? step : merged(step, patches[i])))
  }
  return steps
}

/** The scenarios that not all levels answer alike. */
export async function differingScenarios(folder) {
  const differences = await Promise.all(LEVELS.slice(1).map((level) => readJson(differencesAt(folder, level))))
  return new Set(differences.flatMap(Object.keys))
}

/** Writes down what differs from the level before; of the oldest level, everything. */
export async function writeSteps(folder, scenario, level, steps) {
  const before = LEVELS[placeOf(level) - 1]
  if (before === undefined) return write(recordingOf(folder, scenario), steps)
  const known = await recordedSteps(folder, scenario, { level: before })
  if (known.length !== steps.length)
    throw new Error(`${scenario} has ${known.length} steps at ${before}, and others here`)
  const patches = known.flatMap((step, i) => {
    const patch = patchBetween(step, steps[i])
    return patch === undefined ? [] : [[i, patch]]
  })
  const file = differencesAt(folder, level)
  const all = { ...(await readJson(file)), [scenario]: Object.fromEntries(patches) }
  const differing = Object.entries(all).filter(([, found]) => Object.keys(found).length > 0)
  await write(file, Object.fromEntries(differing.sort(([a], [b]) => (a < b ? -1 : 1))))
}

const readJson = async (file) => JSON.parse(await readFile(file, 'utf8'))
const write = (file, value) => writeFile(file, `${JSON.stringify(value, null, 1)}\n`)
const isMap = (value) => value !== null && typeof value === 'object' && !Array.isArray(value)

function placeOf(level) {
  const place = LEVELS.indexOf(level)
  if (place === -1) throw new Error(`nothing is recorded at level ${level}`)
  return place
}

function merged(value, patch) {
  if (!isMap(patch)) return patch
  const result = { ...(isMap(value) ? value : {}) }
  for (const [key, change] of Object.entries(patch)) {
    if (change === null) delete result[key]
    else result[key] = merged(result[key], change)
  }
  return result
}

/** Undefined where nothing differs. Throws where no merge patch can say it. */
function patchBetween(before, after) {
  if (JSON.stringify(before) === JSON.stringify(after)) return undefined
  if (!isMap(before) || !isMap(after)) {
    if (after === null || (isMap(after) && hasNull(after))) throw new Error('a merge patch cannot set null')
    return after
  }
  const gone = Object.keys(before).filter((key) => !(key in after))
  const changed = Object.entries(after).flatMap(([key, value]) => {
    const patch = patchBetween(before[key], value)
    return patch === undefined ? [] : [[key, patch]]
  })
  if (gone.length + changed.length === 0) return undefined
  return Object.fromEntries([...gone.map((key) => [key, null]), ...changed])
}

const hasNull = (map) => Object.values(map).some((value) => value === null || (isMap(value) && hasNull(value)))
