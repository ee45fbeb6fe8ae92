import { AgentUnreachable } from '@farebox/client/exchange/agent-errors'
import { connect } from '@farebox/client/exchange/client-options'
import { exchange } from '@farebox/client/internal/exchange/exchange'
import { CommandError } from '../command-error.ts'
import { printable } from '../terminal/text.ts'
import type { World } from '../world.ts'
import { readForeignText } from '../terminal/read-foreign-text.ts'
import { readUrl } from '../terminal/read-option.ts'

const MAX_BYTES = 262_144
const TIMEOUT_MS = 10_000

/** The keys of `--keys`, as they were published: parsed, and not believed yet. */
export async function readKeys(world: World, place: string): Promise<unknown> {
  if (/^https?:\/\//i.test(place)) return await fetchKeys(world, place)
  const text = await readForeignText(world, place, { what: '--keys', maxBytes: MAX_BYTES })
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new CommandError(
      '--keys: the file is not JSON',
      'it is what a platform serves at /.well-known/jwks.json',
      { cause },
    )
  }
}

/** Whoever can change the answer on the way decides what is valid: https, or this machine itself. */
async function fetchKeys({ signal }: World, place: string): Promise<unknown> {
  const url = readUrl('--keys', place, { next: 'like https://platform.example/.well-known/jwks.json' })
  try {
    const request = { url, method: 'GET', timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES } as const
    const { status, json, flaw } = await exchange(connect({ signal }), request)
    if (status === 200 && flaw === undefined) return json
    const reason = status === 200 ? `its answer ${flaw}` : `its answer is HTTP ${status}`
    throw new CommandError(
      `no keys at ${url}: ${printable(reason)}`,
      'a platform has them at /.well-known/jwks.json',
    )
  } catch (error) {
    if (!(error instanceof AgentUnreachable)) throw error
    throw new CommandError(
      `${url} cannot be reached: ${printable(error.message)}`,
      'a file with the keys needs no network',
      { cause: error },
    )
  }
}
