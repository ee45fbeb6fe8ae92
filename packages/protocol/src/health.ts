import type { SERVICE_VERSION } from './version.ts'

/**
 * The response of `GET /health` (interface, "Health response").
 *
 * @example
 * ```ts
 * import type { Health } from '@farebox/protocol/health'
 *
 * const answer = await fetch('https://agent.example/health')
 * const { name, version } = (await answer.json()) as Health
 * console.log(`${name} speaks version ${version}`)
 * ```
 */
export interface Health {
  readonly name: string
  readonly version: typeof SERVICE_VERSION
  readonly status: 'ok'
}
