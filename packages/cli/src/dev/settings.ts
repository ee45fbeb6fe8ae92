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

/** The validated settings. */
export interface DevSettings {
  /** Absolute. */
  readonly config: string
  /** Absolute; by default it is searched beside the config. */
  readonly handlers?: string
  /** Default: `$PORT`, then 3000. 0 selects any free port. */
  readonly port?: number
  readonly host: string
  readonly isPaid: boolean
  readonly hasPage: boolean
  /** The port of the page. Default: the usual one, or any free one. */
  readonly pagePort?: number
}

/** Throws a `CommandError` for an invalid port, and when there is no config. */
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
