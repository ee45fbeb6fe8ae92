import { AgentUnreachable } from '@farebox/client/exchange/agent-errors'
import { JsonRpcError } from '@farebox/payments/chain/json-rpc'
import { CommandError, EXIT, type ExitCode } from '../../command-error.ts'
import { asTyped, printable, printableJson } from '../../terminal/text.ts'
import type { World } from '../../world.ts'

/**
 * Runs a command whose result is a document: with `--json` the output holds it, or what was refused instead.
 *
 * @param work writes to the screens itself where no `--json` is given; undefined: more is to come, and no document yet
 * @param stopped what to do after a Ctrl-C
 * @throws {CommandError} what a person reads
 */
export async function runWithJson(
  world: World,
  { json }: { readonly json?: true },
  work: () => Promise<object | undefined>,
  stopped = 'run the same command again: it continues where it stopped, and nothing is staked twice',
): Promise<ExitCode> {
  try {
    const document = await work()
    if (json === true && document !== undefined) world.out.write(`${printableJson(document)}\n`)
    return EXIT.done
  } catch (error) {
    const told = inWords(world, error, stopped)
    if (json === true) world.out.write(`${printableJson(failureOf(world, told))}\n`)
    throw told
  }
}

function inWords({ signal }: World, error: unknown, stopped: string): unknown {
  if (error instanceof CommandError) return error
  if (signal.aborted) {
    return new CommandError('stopped', stopped, { cause: error, exitCode: EXIT.interrupted })
  }
  if (error instanceof AgentUnreachable) {
    return new CommandError(`the agent: ${printable(error.message)}`, 'is it still running?', {
      cause: error,
    })
  }
  if (error instanceof JsonRpcError) {
    const next = 'run the same command again, or name another node: --rpc-url <url>'
    return new CommandError(`the node refused ${printable(error.message.slice(0, 300))}`, next, {
      cause: error,
    })
  }
  return error
}

function failureOf(world: World, error: unknown): object {
  const message = error instanceof Error ? error.message : String(error)
  const next = error instanceof CommandError && error.next !== '' ? { next: asTyped(world, error.next) } : {}
  return { ok: false, error: { message, ...next } }
}
