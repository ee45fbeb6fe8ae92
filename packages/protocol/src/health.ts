import type { SERVICE_VERSION } from './version.ts'

/** The answer of `GET /health` (interface, "Health response"). */
export interface Health {
  readonly name: string
  readonly version: typeof SERVICE_VERSION
  readonly status: 'ok'
}
