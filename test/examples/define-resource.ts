// A custom resource defined in TypeScript, in two versions. For its YAML: npx quarterdeck define define-resource.ts
import { defineResource, type InferInput, type InferResource, kubernetes } from 'quarterdeck/define'
import { z } from 'zod'

const target = z.object({
  name: z.string().min(1),
  url: z.url().describe('Where the copies go.'),
})

export const Backup = defineResource({
  group: 'example.com',
  kind: 'Backup',
  scope: 'Namespaced',
  shortNames: ['bk'],
  versions: {
    v1alpha1: {
      spec: z.object({ schedule: z.string(), target: z.url() }),
      deprecated: 'example.com/v1alpha1 Backup is deprecated; use example.com/v1',
    },
    v1: {
      storage: true,
      description: 'Copies a volume to other places, again and again.',
      spec: z
        .object({
          schedule: z
            .string()
            .regex(/^(\S+ ){4}\S+$/)
            .describe('When, in the five fields of cron.'),
          keep: z.int32().min(1).max(100).default(7).describe('How many copies are kept.'),
          paused: z.boolean().default(false),
          targets: z
            .array(target)
            .min(1)
            .max(8)
            .meta(kubernetes({ listType: 'map', listMapKeys: ['name'] })),
        })
        .meta(kubernetes({ rules: [{ rule: 'self.paused || self.targets.size() > 0', message: 'needs a target' }] })),
      status: z.object({
        lastBackup: z.iso.datetime().optional(),
        copies: z.int32().optional(),
      }),
      columns: [
        { name: 'Schedule', jsonPath: '.spec.schedule' },
        { name: 'Copies', jsonPath: '.status.copies' },
        { name: 'Last', jsonPath: '.status.lastBackup' },
      ],
      selectableFields: ['.spec.schedule'],
    },
  },
  convert: {
    'v1alpha1 -> v1': ({ spec: { schedule, target: url } }) => ({
      spec: { schedule, targets: [{ name: 'default', url }] },
    }),
    'v1 -> v1alpha1': ({ spec: { schedule, targets } }) => ({ spec: { schedule, target: targets[0]?.url ?? '' } }),
  },
  webhook: { service: { namespace: 'backups', name: 'operator', path: '/convert' } },
})

/** The types come from the schemas: as objects are sent, where fields with a default may be left out … */
const nightly: InferInput<typeof Backup, 'v1'> = {
  metadata: { name: 'nightly' },
  spec: { schedule: '0 3 * * *', targets: [{ name: 'here', url: 'https://backup.example.com' }] },
}

/** … and as they are read, where all are there. */
function copies({ spec: { keep, targets } }: InferResource<typeof Backup, 'v1'>): number {
  return keep * targets.length
}

if (import.meta.main) {
  const stored: InferResource<typeof Backup, 'v1'> = {
    apiVersion: 'example.com/v1',
    kind: 'Backup',
    metadata: nightly.metadata,
    spec: { ...nightly.spec, keep: 7, paused: false },
  }
  console.log(Backup.definition.metadata.name)
  console.log(copies(stored))
  console.log(Backup.convert(stored, 'v1alpha1').spec.target)
}
