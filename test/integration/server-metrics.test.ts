// The names that dashboards and alerts ask for, after a little of every kind of traffic.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openServer, type OpenServer } from '../rigs/running-server.ts'

let server: OpenServer
let text: string
const folder = mkdtempSync(path.join(tmpdir(), 'quarterdeck-test-'))

afterAll(async () => {
  await server[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

beforeAll(async () => {
  const encryption = path.join(folder, 'encryption.json')
  const keys = [{ name: 'k', secret: Buffer.alloc(32, 7).toString('base64') }]
  const resources = [{ resources: ['secrets'], providers: [{ aesgcm: { keys } }] }]
  const config = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration', resources }
  writeFileSync(encryption, JSON.stringify(config))
  server = await openServer([`--encryption-provider-config=${encryption}`, '--service-cluster-ip-range=10.96.0.0/24'])
  const base = '/api/v1/namespaces/default/configmaps'
  const json = { 'content-type': 'application/json' }
  await server.request(base, { method: 'POST', headers: json, body: '{"metadata":{"name":"a"},"data":{"k":"v"}}' })
  await server.request(`${base}/a`)
  await server.request(base)
  await server.request(`${base}?watch=1&timeoutSeconds=1`)
  await server.request('/api/v1/namespaces/default/endpoints')
  await server.request(`${base}/a`, { token: 'nobody-knows-it' })
  await server.request('/api/v1/namespaces/default/pods/p/made-up-by-a-caller')
  await server.request(`${base}/a`, { method: 'DELETE' })
  await server.must('/api/v1/namespaces/default/secrets', { method: 'POST', body: { metadata: { name: 's' } } })
  await writeRuled()
  await server.must('/api/v1/namespaces/default/services', {
    method: 'POST',
    body: { metadata: { name: 's' }, spec: { type: 'NodePort', ports: [{ port: 80 }] } },
  })
  await server.must('/api/v1/namespaces/default/pods', {
    method: 'POST',
    body: { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  })
  text = (await server.request('/metrics')).body
})

/** An object of a custom kind that has a rule. */
async function writeRuled(): Promise<void> {
  const rule = { 'x-kubernetes-validations': [{ rule: 'self < 10' }] }
  const spec = { type: 'object', properties: { n: { type: 'integer', ...rule } } }
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } }
  const body = {
    metadata: { name: 'ruled.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural: 'ruled', kind: 'Ruled' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  }
  await server.must('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { method: 'POST', body })
  const object = { apiVersion: 'example.com/v1', kind: 'Ruled', metadata: { name: 'a' }, spec: { n: 1 } }
  await server.must('/apis/example.com/v1/ruled', { method: 'POST', body: object })
}

/** With at least one number. */
const COUNTED: readonly string[] = [
  'apiserver_request_total',
  'apiserver_request_duration_seconds',
  'apiserver_request_sli_duration_seconds',
  'apiserver_response_sizes',
  'apiserver_current_inflight_requests',
  'apiserver_requested_deprecated_apis',
  'apiserver_request_filter_duration_seconds',
  'apiserver_request_body_size_bytes',
  'apiserver_watch_events_total',
  'apiserver_watch_events_sizes',
  'apiserver_tls_handshake_errors_total',
  'apiserver_storage_objects',
  'apiserver_resource_objects',
  'apiserver_resource_size_estimate_bytes',
  'apiserver_storage_events_received_total',
  'etcd_request_duration_seconds',
  'etcd_requests_total',
  'apiserver_cache_list_total',
  'apiserver_cache_list_fetched_objects_total',
  'apiserver_cache_list_returned_objects_total',
  'apiserver_watch_cache_events_received_total',
  'apiserver_watch_cache_events_dispatched_total',
  'apiserver_watch_cache_initializations_total',
  'apiserver_watch_cache_read_wait_seconds',
  'apiserver_watch_cache_consistent_read_total',
  'apiserver_init_events_total',
  'apiserver_admission_controller_admission_duration_seconds',
  'apiserver_admission_step_admission_duration_seconds',
  'apiserver_flowcontrol_dispatched_requests_total',
  'apiserver_flowcontrol_current_executing_requests',
  'apiserver_flowcontrol_current_executing_seats',
  'apiserver_flowcontrol_current_inqueue_requests',
  'apiserver_flowcontrol_nominal_limit_seats',
  'apiserver_flowcontrol_current_limit_seats',
  'apiserver_flowcontrol_lower_limit_seats',
  'apiserver_flowcontrol_upper_limit_seats',
  'apiserver_flowcontrol_request_wait_duration_seconds',
  'apiserver_flowcontrol_request_execution_seconds',
  'apiserver_flowcontrol_work_estimated_seats',
  'apiserver_storage_transformation_operations_total',
  'apiserver_storage_transformation_duration_seconds',
  'workqueue_depth',
  'workqueue_adds_total',
  'workqueue_queue_duration_seconds',
  'workqueue_work_duration_seconds',
  'authentication_token_cache_request_total',
  'authentication_attempts',
  'authentication_duration_seconds',
  'authenticated_user_requests',
  'authorization_attempts_total',
  'authorization_duration_seconds',
  'apiserver_audit_event_total',
  'apiserver_audit_requests_rejected_total',
  'kubernetes_build_info',
  'kubernetes_feature_enabled',
  'process_cpu_seconds_total',
  'process_resident_memory_bytes',
  'process_start_time_seconds',
  'process_open_fds',
  'process_max_fds',
  'process_virtual_memory_bytes',
  'nodejs_eventloop_lag_p99_seconds',
  'nodejs_active_handles_total',
  'apiserver_cel_compilation_duration_seconds',
  'apiserver_cel_evaluation_duration_seconds',
  'kube_apiserver_clusterip_allocator_allocated_ips',
  'kube_apiserver_clusterip_allocator_available_ips',
  'kube_apiserver_clusterip_allocator_allocation_total',
  'kube_apiserver_clusterip_allocator_allocation_duration_seconds',
  'kube_apiserver_nodeport_allocator_allocated_ports',
  'kube_apiserver_nodeport_allocator_available_ports',
  'kube_apiserver_nodeport_allocator_allocation_total',
  'apiserver_clusterip_repair_reconcile_errors_total',
  'apiserver_nodeport_repair_reconcile_errors_total',
  'pod_security_evaluations_total',
  'workqueue_unfinished_work_seconds',
  'workqueue_longest_running_processor_seconds',
  'disabled_metrics_total',
  'apiserver_watch_cache_resource_version',
  'watch_cache_capacity',
]

/** Described; numbers come with what they count. */
const DESCRIBED: readonly string[] = [
  'apiserver_longrunning_requests',
  'apiserver_validating_admission_policy_check_total',
  'apiserver_validating_admission_policy_check_duration_seconds',
  'apiserver_mutating_admission_policy_check_total',
  'apiserver_mutating_admission_policy_check_duration_seconds',
  'kube_apiserver_clusterip_allocator_allocation_errors_total',
  'kube_apiserver_nodeport_allocator_allocation_errors_total',
  'apiserver_clusterip_repair_ip_errors_total',
  'apiserver_nodeport_repair_port_errors_total',
  'pod_security_exemptions_total',
  'pod_security_errors_total',
  'apiserver_current_inqueue_requests',
  'apiserver_request_terminations_total',
  'apiserver_request_aborts_total',
  'apiserver_selfrequest_total',
  'apiserver_watch_list_duration_seconds',
  'apiserver_storage_list_total',
  'apiserver_storage_list_fetched_objects_total',
  'apiserver_storage_list_evaluated_objects_total',
  'apiserver_storage_list_returned_objects_total',
  'etcd_request_errors_total',
  'etcd_bookmark_total',
  'apiserver_storage_size_bytes',
  'watch_cache_capacity_increase_total',
  'watch_cache_capacity_decrease_total',
  'apiserver_terminated_watchers_total',
  'apiserver_admission_webhook_admission_duration_seconds',
  'apiserver_admission_webhook_rejection_count',
  'apiserver_admission_webhook_request_total',
  'apiserver_admission_webhook_fail_open_count',
  'apiserver_flowcontrol_rejected_requests_total',
  'apiserver_flowcontrol_demand_seats_average',
  'apiserver_flowcontrol_demand_seats_high_watermark',
  'apiserver_flowcontrol_demand_seats_smoothed',
  'apiserver_flowcontrol_demand_seats_stdev',
  'apiserver_authorization_decisions_total',
  'apiserver_encryption_config_controller_automatic_reloads_total',
  'apiserver_envelope_encryption_key_id_hash_total',
  'apiserver_envelope_encryption_dek_source_cache_size',
  'apiserver_envelope_encryption_kms_operations_latency_seconds',
  'workqueue_retries_total',
  'rest_client_requests_total',
  'rest_client_request_duration_seconds',
  'apiserver_client_certificate_expiration_seconds',
  'apiserver_audit_error_total',
  'apiserver_audit_level_total',
  'aggregator_unavailable_apiservice',
  'aggregator_unavailable_apiservice_total',
  'apiserver_crd_conversion_webhook_duration_seconds',
  'apiserver_stream_translator_requests_total',
  'apiserver_stream_tunnel_requests_total',
]

describe('/metrics', () => {
  it.each(COUNTED)('counts %s', (name) => {
    expect(text).toContain(`# TYPE ${name} `)
    expect(text).toMatch(new RegExp(`^${name}(_count)?(\\{[^\\n]*\\})? [0-9.e+-]+$`, 'm'))
  })

  it.each(DESCRIBED)('knows %s', (name) => {
    expect(text).toContain(`# TYPE ${name} `)
  })

  it('tells how many objects there are, by the names of their resources (P-484)', () => {
    expect(text).toMatch(/^apiserver_storage_objects\{resource="flowschemas\.flowcontrol\.apiserver\.k8s\.io"\} 11$/m)
    expect(text).toMatch(/^apiserver_resource_objects\{group="",resource="configmaps"\} \d+$/m)
  })

  const valueOf = (series: string): number =>
    Number(new RegExp(`^${series.replaceAll(/[{}]/g, '\\$&')} (\\S+)$`, 'm').exec(text)?.[1])

  it('tells of files that are open no more than may be', () => {
    expect(valueOf('process_open_fds')).toBeGreaterThan(3)
    expect(valueOf('process_max_fds')).toBeGreaterThan(valueOf('process_open_fds'))
  })

  it('tells what services have, and what is left for others', () => {
    const range = '{cidr="10.96.0.0/24"}'
    expect(valueOf(`kube_apiserver_clusterip_allocator_allocated_ips${range}`)).toBe(2)
    expect(valueOf(`kube_apiserver_clusterip_allocator_available_ips${range}`)).toBe(252)
    expect(valueOf('kube_apiserver_nodeport_allocator_allocated_ports')).toBe(1)
    expect(valueOf('kube_apiserver_nodeport_allocator_available_ports')).toBe(2767)
  })

  it('tells how often rules were compiled and run', () => {
    expect(valueOf('apiserver_cel_compilation_duration_seconds_count')).toBe(1)
    expect(valueOf('apiserver_cel_evaluation_duration_seconds_count')).toBe(1)
  })

  it('blames the storage for nothing that was refused before it', () => {
    expect(text).not.toMatch(/^etcd_request_errors_total\{/m)
  })

  it('tells what was sealed, by the way it was sealed and not by the key', () => {
    const labels = 'resource="secrets",transformation_type="to_storage",transformer_prefix="k8s:enc:aesgcm:v1:"'
    expect(text).toMatch(
      new RegExp(`^apiserver_storage_transformation_operations_total\\{${labels},status="OK"\\} \\d+$`, 'm'),
    )
  })

  it('shows nothing that a caller made up', () => {
    expect(text).not.toContain('made-up-by-a-caller')
  })

  it('shares out about 600 seats (P-200)', () => {
    const seats = [...text.matchAll(/^apiserver_flowcontrol_nominal_limit_seats\{[^}]*\} (\d+)$/gm)].map(([, n]) =>
      Number(n),
    )
    expect(seats).toHaveLength(8)
    expect(seats.reduce((sum, n) => sum + n, 0)).toBeGreaterThanOrEqual(600)
    expect(seats.reduce((sum, n) => sum + n, 0)).toBeLessThan(608)
  })

  it('tells of the health checks at a place of its own (P-246)', async () => {
    await server.request('/readyz')
    const { body } = await server.request('/metrics/slis')
    expect(body).toMatch(/^kubernetes_healthcheck\{name="ping",type="readyz"\} 1$/m)
    expect(body).toMatch(/^kubernetes_healthchecks_total\{name="ping",type="readyz",status="success"\} \d+$/m)
    expect(text).not.toContain('kubernetes_healthcheck')
  })

  it('begins anew when told to', async () => {
    expect((await server.request('/metrics', { method: 'DELETE' })).body).toBe('metrics reset\n')
    expect((await server.request('/metrics')).body).not.toMatch(/^apiserver_request_total\{verb="POST"/m)
  })
})
