// The flags about who decides what users may do.
import type { Flag } from './flag.ts'

export const AUTHORIZATION_FLAGS = [
  {
    name: 'authorization-config',
    kind: 'file',
    group: 'Who may do what',
    help: 'Who decides what a user may do: an AuthorizationConfiguration. Instead of --authorization-mode and the flags of its modes; read again when it changes.',
  },
  {
    name: 'authorization-policy-file',
    kind: 'file',
    group: 'Who may do what',
    help: 'The policies of the mode ABAC, one JSON object a line.',
  },
  {
    name: 'authorization-webhook-config-file',
    kind: 'file',
    group: 'Who may do what',
    help: 'Whom the mode Webhook asks: a kubeconfig.',
  },
  {
    name: 'authorization-webhook-version',
    kind: 'text',
    group: 'Who may do what',
    fallback: 'v1beta1',
    placeholder: 'VERSION',
    help: 'The version of the SubjectAccessReview that the webhook is sent: v1 or v1beta1.',
  },
  {
    name: 'authorization-webhook-cache-authorized-ttl',
    kind: 'duration',
    group: 'Who may do what',
    fallback: '5m',
    help: 'How long the webhook is not asked again after a yes.',
  },
  {
    name: 'authorization-webhook-cache-unauthorized-ttl',
    kind: 'duration',
    group: 'Who may do what',
    fallback: '30s',
    help: 'How long the webhook is not asked again after anything else.',
  },
] as const satisfies readonly Flag[]
