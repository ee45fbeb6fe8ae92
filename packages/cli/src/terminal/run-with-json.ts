import { printable, printableJson } from '@farebox/conformance/internal/printable'
import { AgentUnreachable } from '@farebox/client/exchange/agent-errors'
import { JsonRpcError } from '@farebox/payments/chain/json-rpc'
import { CommandError, EXIT, type ExitCode } from '../command-error.ts'
import type { World } from '../world.ts'
import { asTyped } from './text.ts'

export interface FailureWords {
  readonly inWords: (error: unknown) => unknown
  /** Formats an error that {@link inWords} returned for `--json`. Default: {@link failureDocument}. */
  readonly document?: (error: unknown) => object
}

/** Runs a command that prints its own result. With `--json` a failure is also printed as a document. */
export async function answerWithJson(
  world: World,
  { json }: { readonly json?: true },
  work: () => Promise<ExitCode>,
  { inWords, document = error => failureDocument(world, error) }: FailureWords,
): Promise<ExitCode> {
  try {
    return await work()
  } catch (error) {
    const explained = inWords(error)
    if (json === true) world.out.write(`${printableJson(document(explained))}\n`)
    throw explained
  }
}

/**
 * Runs a command whose result is a document: with `--json` it is printed to stdout, or else the document of the error.
 *
 * @param work prints its result itself when `--json` is not given
 * @param stopped what to do after a Ctrl-C
 */
export async function runWithJson(
  world: World,
  raw: { readonly json?: true },
  work: () => Promise<object>,
  stopped = 'run the same command again: it continues where it stopped, and nothing is staked twice',
): Promise<ExitCode> {
  const answer = async (): Promise<ExitCode> => {
    const document = await work()
    if (raw.json === true) world.out.write(`${printableJson(document)}\n`)
    return EXIT.done
  }
  return await answerWithJson(world, raw, answer, { inWords: error => explain(world, error, stopped) })
}

/** The error after Ctrl-C, when no more specific one is known. */
export function orStopped({ signal }: World, error: unknown, next: string): unknown {
  if (!signal.aborted || error instanceof CommandError) return error
  return new CommandError('stopped', next, { cause: error, exitCode: EXIT.interrupted })
}

/** The `--json` document of a failure: `{ ok: false, error: { message, next } }`. */
export function failureDocument(world: World, error: unknown, type?: string): object {
  const message = error instanceof Error ? error.message : String(error)
  const next = error instanceof CommandError && error.next !== '' ? { next: asTyped(world, error.next) } : {}
  return { ok: false, error: { ...(type !== undefined && { type }), message, ...next } }
}

/** Returns `stopped`, `refused`, or `internal` for an unexpected error. */
export function failureType(error: unknown): string {
  if (!(error instanceof CommandError)) return 'internal'
  return error.exitCode === EXIT.interrupted ? 'stopped' : 'refused'
}

function explain(world: World, error: unknown, stopped: string): unknown {
  const explained = orStopped(world, error, stopped)
  if (explained instanceof AgentUnreachable) {
    return new CommandError(`the agent: ${printable(explained.message)}`, 'is it still running?', {
      cause: explained,
    })
  }
  if (explained instanceof JsonRpcError) {
    const next = 'run the same command again, or name another node: --rpc-url <url>'
    return new CommandError(`the node refused ${printable(explained.message.slice(0, 300))}`, next, {
      cause: explained,
    })
  }
  return explained
}
