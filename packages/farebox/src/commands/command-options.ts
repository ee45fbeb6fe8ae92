import { parseArgs } from 'node:util'
import { ConfigError } from '../config/read-config.ts'
import { HandlersError } from '../config/load-handlers.ts'
import { EnvironmentError } from '../config/read-environment.ts'
import { DeclarationError } from '../serve-declaration.ts'

/** What was asked on the command line. */
export interface CommandOptions {
  readonly config: string
  readonly handlers: string | undefined
  readonly port: string | undefined
  readonly host: string | undefined
}

/** Reads the words after the command. Throws a `TypeError` for an unknown one. */
export function readOptions(words: readonly string[]): CommandOptions {
  const { values } = parseArgs({
    args: [...words],
    options: {
      config: { type: 'string', default: './agent.json' },
      handlers: { type: 'string' },
      port: { type: 'string' },
      host: { type: 'string' },
    },
  })
  return { config: values.config, handlers: values.handlers, port: values.port, host: values.host }
}

/** A refusal as people should read it: what is wrong, then what to do. Stacks only for what we did not foresee. */
export function explainFailure(error: unknown): string {
  if (error instanceof EnvironmentError) return `✗ cannot start: ${error.message}\n  ${error.hint}\n`
  if (error instanceof ConfigError)
    return error.problems.length === 1
      ? `✗ ${error.message}\n`
      : `✗ ${error.problems.length} problems\n${indent(error.message)}\n`
  if (error instanceof DeclarationError || error instanceof HandlersError) return `✗ ${error.message}\n`
  if (error instanceof TypeError) return `✗ ${error.message}\n`
  if (isPortInUse(error))
    return `✗ cannot listen: port ${error.port} is in use\n  stop the process that has it, or choose another with --port\n`
  return `✗ ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`
}

function isPortInUse(error: unknown): error is { readonly code: string; readonly port: number } {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE' && 'port' in error
}

function indent(lines: string): string {
  return lines.replace(/^/gm, '  ')
}
