// What the operator is for. For its YAML: npx quarterdeck define site.ts
import { defineResource, type InferResource, kubernetes } from 'quarterdeck/define'
import { z } from 'zod'

export const Site = defineResource({
  group: 'example.com',
  kind: 'Site',
  scope: 'Namespaced',
  versions: {
    v1: {
      description: 'A web site, and the host name that it is found by.',
      spec: z.object({
        host: z
          .string()
          .max(253)
          .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/)
          .meta(kubernetes({ rules: [{ rule: 'self == oldSelf', message: 'the host cannot change' }] })),
        image: z.string().min(1).default('nginx:1'),
        replicas: z.int32().min(0).max(50).default(1),
        paused: z.boolean().default(false).describe('Leave everything as it is.'),
      }),
      status: z.object({ observedGeneration: z.int().optional(), readyReplicas: z.int32().optional() }),
      conditions: true,
      scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.readyReplicas' },
      columns: [
        { name: 'Host', jsonPath: '.spec.host' },
        { name: 'Ready', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
      ],
    },
  },
})

export type Site = InferResource<typeof Site>
