/**
 * The only version of the interface that this code supports; sent and required as `service_version`.
 *
 * @example
 * ```ts
 * import { SERVICE_VERSION } from '@farebox/protocol/version'
 *
 * const body = {
 *   service_version: SERVICE_VERSION,
 *   job_id: crypto.randomUUID(),
 *   task: { capability: 'count', input: { text: 'hello world' } },
 *   deadline: Date.now() / 1_000 + 30,
 * }
 * await fetch('https://agent.example/execute', { method: 'POST', body: JSON.stringify(body) })
 * ```
 */
export const SERVICE_VERSION = '1.0'
