import { printable } from '@farebox/conformance/internal/printable'
import { loadKeccak } from '@farebox/payments/crypto/evm-crypto'
import { refuseAddress } from '@farebox/payments/crypto/address'
import { CommandError, type ExitCode, usageError } from '../command-error.ts'
import { runWithJson } from '../terminal/run-with-json.ts'
import { asTyped, paintFor } from '../terminal/text.ts'
import type { World } from '../world.ts'
import { nothing } from '@farebox/platform-api/errors'
import { createdSecret, type CreatedSecret, type Secret, secrets } from '@farebox/platform-api/owners'
import { openAccount, type OpenAccount } from './open-account.ts'
import { agree } from '../terminal/ask.ts'
import { spellAddress } from '../keys/spell-address.ts'

export interface RawSecretOptions {
  readonly platform?: string
  readonly json?: true
  /** Wallets to which the secret accepts payments. */
  readonly for?: readonly string[]
  /** Prints only the line for a `.env` file. */
  readonly env?: true
  readonly yes?: true
}

/** `farebox secret create`: creates a FACILITATOR_SECRET. Only this output shows it. */
export async function makeOwnerSecret(world: World, raw: RawSecretOptions): Promise<ExitCode> {
  return await tell(world, raw, async ({ ask }) => {
    const wallets = raw.for === undefined ? undefined : await readWallets(raw.for)
    return await showNew(
      world,
      raw,
      await ask({ path: SECRETS, body: wallets === undefined ? {} : { wallets }, schema: createdSecret }),
    )
  })
}

/** `farebox secret rotate <id>`: creates the secret that replaces another one; both work until the old one is revoked. */
export async function rotateSecret(world: World, secretId: string, raw: RawSecretOptions): Promise<ExitCode> {
  return await tell(world, raw, async ({ ask }) =>
    showNew(
      world,
      raw,
      await ask({ method: 'POST', path: `${pathOf(readSecretId(secretId))}/rotate`, schema: createdSecret }),
    ),
  )
}

/** `farebox secret list`: lists the owner's secrets without their values. */
export async function listSecrets(world: World, raw: RawSecretOptions): Promise<ExitCode> {
  return await tell(world, raw, async ({ ask }) => {
    const { secrets: found } = await ask({ path: SECRETS, schema: secrets })
    if (raw.json !== true) await showList(world, found)
    return { ok: true, secrets: found }
  })
}

/** `farebox secret revoke <id>`: revokes a secret permanently, within seconds. */
export async function revokeSecret(world: World, secretId: string, raw: RawSecretOptions): Promise<ExitCode> {
  return await tell(world, raw, async ({ ask }) => {
    const id = readSecretId(secretId)
    const question = `Revoke ${id}? Agents that use it stop being paid within seconds.`
    await agree(world, raw, question, {
      unasked: `farebox secret revoke ${id} --yes`,
      refused: 'not revoked',
    })
    await ask({ method: 'DELETE', path: pathOf(id), schema: nothing })
    world.err.write(`  ${paintFor(world.err).green('✓')} revoked ${id}\n`)
    return { ok: true, secret_id: id, revoked: true }
  })
}

const SECRETS = '/v1/me/secrets'

function pathOf(secretId: string): string {
  return `${SECRETS}/${encodeURIComponent(secretId)}`
}

async function tell(
  world: World,
  raw: RawSecretOptions,
  work: (account: OpenAccount) => Promise<object>,
): Promise<ExitCode> {
  const stopped = 'farebox secret list shows your secrets'
  return await runWithJson(world, raw, async () => work(await openAccount(world, raw.platform)), stopped)
}

async function showNew(world: World, { json, env }: RawSecretOptions, made: CreatedSecret): Promise<object> {
  const { secret, secret_id: id, wallets, replaces } = made
  // Any value from a platform must stay on one line of a .env file.
  if (!/^[\x21-\x7e]{1,500}$/.test(secret)) {
    throw new CommandError(
      'the platform answered with a secret in no form that is known',
      'nothing was shown',
    )
  }
  if (json !== true) {
    world.out.write(env === true ? `FACILITATOR_SECRET=${secret}\n` : `${secret}\n`)
    const { green, dim } = paintFor(world.err)
    const row = (name: string, text: string): string => `    ${dim(name.padEnd(9))}${text}\n`
    const next =
      replaces === null
        ? 'give it to the agent as FACILITATOR_SECRET'
        : `restart the agent with it, then: farebox secret revoke ${printable(replaces)}`
    world.err.write(
      `  ${green('✓')} secret ${printable(id)}, shown this once\n` +
        row('pays to', await shownWallets(wallets)) +
        row('next', asTyped(world, next)),
    )
  }
  return { ok: true, ...made }
}

/** Such a secret does not count towards the owner's limit of two. */
const OPERATORS = 'made with the admin token: not yours to rotate or revoke'

async function showList(world: World, found: readonly Secret[]): Promise<void> {
  const { out, err } = world
  if (found.length === 0) {
    err.write(`  no secrets so far\n  ${asTyped(world, 'farebox secret create')} makes one\n`)
    return
  }
  const { dim } = paintFor(out)
  const width = Math.max(...found.map(one => printable(one.secret_id).length))
  for (const { secret_id: id, made_by: madeBy, wallets, created_at: at, revoked_at: ended } of found) {
    const state = ended === null ? 'live   ' : 'revoked'
    const line = `${printable(id).padEnd(width)}  ${state}  ${day(at)}  ${await shownWallets(wallets)}`
    out.write(`${ended === null ? line : dim(line)}\n`)
    if (madeBy === 'operator' && ended === null) out.write(`${' '.repeat(width)}  ${dim(OPERATORS)}\n`)
  }
}

function readSecretId(text: string): string {
  if (/^[\w-]{1,64}$/.test(text)) return text
  // The argument is not repeated, because it may be the secret itself.
  throw usageError('that is not the id of a secret', 'farebox secret list shows the ids')
}

async function readWallets(words: readonly string[]): Promise<readonly string[]> {
  const keccak256 = await loadKeccak()
  return words.map(word => {
    const reason = refuseAddress({ keccak256 }, word)
    if (reason === undefined) return word.toLowerCase()
    throw usageError(`--for ${reason}`, 'like --for 0x…')
  })
}

async function shownWallets(wallets: readonly string[]): Promise<string> {
  return (await Promise.all(wallets.map(spellAddress))).join(', ')
}

function day(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().slice(0, 10)
}
