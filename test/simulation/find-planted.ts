// Plants one bug after the other (ONLY="a b": these) and simulates until it is found, for two minutes at most; a row for each, as in README.md.
import { campaign } from './campaign.ts'
import { PLANTS } from './planted.ts'

const SECONDS = Number(process.env['SECONDS'] ?? 120)
const { ONLY, FIRST = '1' } = process.env
const plants = ONLY === undefined ? PLANTS : PLANTS.filter(({ name }) => ONLY.split(' ').includes(name))

for (const { name, like } of plants) {
  const { failed, runs, seconds } = await campaign({
    first: Number(FIRST),
    seconds: SECONDS,
    env: { PLANT: name },
    untilFound: true,
  })
  const [found] = failed
  const what = found?.violations[0]?.replaceAll('|', '/').slice(0, 90)
  const where = found === undefined ? `not in ${runs.length} runs` : found.seed
  process.stdout.write(`| ${name} | ${like} | ${where} | ${seconds.toFixed(0)} s | ${what ?? ''} |\n`)
}
