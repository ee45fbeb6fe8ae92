import { existsSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { CommandError, usageError } from '../command-error.ts'
import type { World } from '../world.ts'

export interface DevOptions {
  readonly config: string
  readonly handlers?: string
  readonly port?: string
  readonly host: string
  readonly paid?: true
  /** False with `--no-page`. */
  readonly page: boolean
  readonly pagePort?: string
}

/** What was asked, checked. */
export interface DevSettings {
  /** Absolute. */
  readonly config: string
  /** Absolute; absent: to be found beside the config. */
  readonly handlers?: string
  /** Absent: `$PORT`, then 3000. 0: any that is free. */
  readonly port?: number
  readonly host: string
  readonly isPaid: boolean
  readonly hasPage: boolean
  /** Of the page. Absent: the usual one, or any that is free. */
  readonly pagePort?: number
}

/** Throws a `CommandError` for a port that is none, and where there is no config to begin with. */
export function readSettings({ folder }: World, options: DevOptions): DevSettings {
  const { handlers, host, paid, page } = options
  const config = resolve(folder, options.config)
  const port = readPort('--port', options.port)
  const pagePort = readPort('--page-port', options.pagePort)
  if (!existsSync(config))
    throw new CommandError(
      `${relative(folder, config) || config}: there is no such file`,
      `farebox init ${relative(folder, dirname(config)) || '.'} writes one; or name yours with --config`,
    )
  return {
    config,
    host,
    isPaid: paid === true,
    hasPage: page,
    ...(handlers !== undefined && { handlers: resolve(folder, handlers) }),
    ...(port !== undefined && { port }),
    ...(pagePort !== undefined && { pagePort }),
  }
}

function readPort(option: string, port: string | undefined): number | undefined {
  if (port === undefined) return undefined
  if (/^\d{1,5}$/.test(port) && Number(port) <= 65_535) return Number(port)
  throw usageError(`${option} ${port} is no port`, 'a number from 0 to 65535; 0 takes any free one')
}
