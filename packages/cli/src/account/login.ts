import { printable } from '@farebox/conformance/internal/printable'
import { checksumAddress } from '@farebox/payments/crypto/address'
import { type EvmCrypto, loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { nothing } from '@farebox/platform-api/errors'
import { me, signedIn, signInTerms, type SignInTerms } from '@farebox/platform-api/owners'
import { systemClock } from '@farebox/protocol/time/clock'
import { signText } from '../keys/paying-key.ts'
import { CommandError, type ExitCode } from '../command-error.ts'
import { createAskPlatform, PlatformRefusal } from '../register/platform/ask-platform.ts'
import { findPlatform } from '../register/platform/find-platform.ts'
import { findKey } from '../register/transaction/open-registry.ts'
import type { RawKeyOptions } from '../register/platform/register-options.ts'
import { runWithJson } from '../terminal/run-with-json.ts'
import { asTyped, many, paintFor, untilTime } from '../terminal/text.ts'
import type { World } from '../world.ts'
import { openAccount, type OpenAccount } from './open-account.ts'
import { requireTerminal, signBrowserIn } from './sign-browser-in.ts'
import { writeSignInMessage } from '@farebox/platform-api/internal/me/sign-in-message'
import { canParseUrl } from '@farebox/protocol/internal/can-parse-url'
import { isOnLoopback } from '../keys/local-economy.ts'
import { spellAddress } from '../keys/spell-address.ts'
import { sessionFile } from '../home/session-file.ts'

export interface RawLoginOptions extends RawKeyOptions {
  readonly platform?: string
  readonly json?: true
  readonly browser?: true
}

/**
 * `farebox login`: signs in at a platform with a key on this machine (Sign-In with Ethereum, EIP-4361) and stores the
 * session. The session's token is never shown. With `--browser`, the stored session, or a new one if there is none, signs
 * the person's browser in.
 *
 * @throws {CommandError} when the platform refuses the sign-in; nothing is stored then
 */
export async function login(world: World, raw: RawLoginOptions): Promise<ExitCode> {
  return await runWithJson(
    world,
    raw,
    async () => {
      if (raw.browser !== true) return await signIn(world, raw)
      requireTerminal(world)
      const account = await openOrSignIn(world, raw)
      await signBrowserIn(world, account)
      const { platform, address, expiresAt } = account.session
      const shown = await spellAddress(address)
      return { ok: true, platform, address: shown, expires_at: expiresAt, browser: true }
    },
    raw.browser === true ? 'no browser was signed in' : 'nobody was signed in',
  )
}

/** Returns the live session, or a new one when there is none or when a wallet is named. */
async function openOrSignIn(world: World, raw: RawLoginOptions): Promise<OpenAccount> {
  if (raw.wallet === undefined) {
    const { url } = await findPlatform(world, raw.platform)
    const kept = await sessionFile(world.home, url).read()
    const account = kept === undefined ? undefined : await openLive(world, raw.platform)
    if (account !== undefined) return account
  }
  await signIn(world, raw)
  return await openAccount(world, raw.platform)
}

/** Returns `undefined` when the session has ended, and deletes it then; throws for any other failure. */
async function openLive(world: World, platform: string | undefined): Promise<OpenAccount | undefined> {
  try {
    const account = await openAccount(world, platform)
    await account.ask({ path: '/v1/me', schema: me })
    return account
  } catch (error) {
    const { url } = await findPlatform(world, platform)
    if ((await sessionFile(world.home, url).read()) === undefined) return undefined
    throw error
  }
}

async function signIn(world: World, raw: RawLoginOptions): Promise<object> {
  const { url, local } = await findPlatform(world, raw.platform)
  const ask = createAskPlatform(url, world.signal)
  const key = await findKey(world, raw, local)
  const crypto = await loadEvmCrypto()
  const terms = await ask({ method: 'POST', path: '/v1/sessions/nonces', schema: signInTerms })
  const message = signInMessage(crypto, terms, { platform: url, address: key.address })
  const signature = signText(crypto, await key.unlock(), message)
  const begun = await ask({ path: '/v1/sessions', body: { message, signature }, schema: signedIn })
  const { address, token, expires_at: expiresAt } = begun
  // The previous session is ended, because only one may exist at a time: a copy of its token must be useless.
  await endFormer(world, url)
  await sessionFile(world.home, url).write({ version: 1, platform: url, address, token, expiresAt })
  const shown = checksumAddress(crypto, address)
  const { green, dim } = paintFor(world.err)
  world.err.write(
    `  ${green('✓')} signed in at ${url}\n` +
      `    ${dim('as    ')} ${shown}  ${key.source}\n` +
      `    ${dim('until ')} ${untilTime(expiresAt, systemClock.nowMs() / 1_000)}, or two hours unused\n` +
      `    ${dim('next  ')} ${asTyped(world, 'farebox dashboard')}\n`,
  )
  return { ok: true, platform: url, address: shown, expires_at: expiresAt }
}

async function endFormer(world: World, url: string): Promise<void> {
  if ((await sessionFile(world.home, url).read()) === undefined) return
  await openAccount(world, url)
    .then(signOut)
    .catch(() => undefined)
}

async function signOut({ ask }: OpenAccount): Promise<void> {
  await ask({ method: 'DELETE', path: '/v1/sessions/current', schema: nothing })
}

/** `farebox logout`: ends the session at the platform and deletes it here, even when the platform cannot be reached. */
export async function logout(world: World, raw: RawLoginOptions): Promise<ExitCode> {
  return await runWithJson(
    world,
    raw,
    async () => {
      const { url } = await findPlatform(world, raw.platform)
      const kept = await sessionFile(world.home, url).read()
      if (kept === undefined) {
        world.err.write(`  not signed in at ${url}\n`)
        return { ok: true, platform: url, was_signed_in: false }
      }
      const account = await openAccount(world, url).catch(() => undefined)
      const isEnded = await (account && signOut(account))?.then(
        () => true,
        (error: unknown) => error instanceof PlatformRefusal,
      )
      await sessionFile(world.home, url).remove()
      const { green, yellow } = paintFor(world.err)
      world.err.write(
        isEnded === false
          ? `  ${yellow('!')} forgotten here; the platform cannot be reached, so the session expires at ${new Date(kept.expiresAt * 1_000).toISOString()}\n`
          : `  ${green('✓')} signed out of ${url}\n`,
      )
      return { ok: true, platform: url, was_signed_in: true, ended: isEnded !== false }
    },
    'still signed in',
  )
}

/** `farebox whoami`: shows who is signed in at a platform, and until when; exit code 1 when no session exists. */
export async function whoami(world: World, raw: RawLoginOptions): Promise<ExitCode> {
  return await runWithJson(
    world,
    raw,
    async () => {
      const account = await openAccount(world, raw.platform)
      const { address, agents, session } = await account.ask({ path: '/v1/me', schema: me })
      const shown = await spellAddress(address)
      const { platform } = account.session
      if (raw.json !== true) {
        world.out.write(`${shown}\n`)
        const until = untilTime(session.expires_at, systemClock.nowMs() / 1_000)
        world.err.write(`  at ${platform}, until ${until}; ${many(agents, 'agent')}\n`)
      }
      return { ok: true, platform, address: shown, agents, expires_at: session.expires_at }
    },
    'nothing was changed',
  )
}

const RFC3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/

/**
 * Returns the EIP-4361 message that signs in at this platform and at no other. A malicious platform could otherwise ask for
 * a message to another platform and sign in there in the owner's name.
 *
 * @param platform the URL that the person gave
 * @param address in any case
 */
export function signInMessage(
  crypto: Pick<EvmCrypto, 'keccak256'>,
  terms: SignInTerms,
  { platform, address }: { readonly platform: string; readonly address: string },
): string {
  refuseOtherPlatform(terms, platform)
  const isWhole =
    /^[A-Za-z0-9]{8,96}$/.test(terms.nonce) &&
    Number.isSafeInteger(terms.chain_id) &&
    RFC3339.test(terms.issued_at) &&
    RFC3339.test(terms.expiration_time)
  if (!isWhole) {
    throw new CommandError(`${platform} asks for a sign-in in no form that is known`, 'nothing was signed')
  }
  return writeSignInMessage(terms, checksumAddress(crypto, address))
}

function refuseOtherPlatform({ domain, uri }: SignInTerms, platform: string): void {
  const { host, origin, port } = new URL(platform)
  if (domain === host && uri === origin) return
  const named = canParseUrl(uri) ? new URL(uri) : undefined
  // This machine has several host names, so the port distinguishes its platforms.
  const isSameMachine =
    named !== undefined &&
    named.origin === uri &&
    named.host === domain &&
    named.port === port &&
    isOnLoopback(uri) &&
    isOnLoopback(platform)
  if (isSameMachine) return
  throw new CommandError(
    `${platform} asks for a sign-in at ${printable(domain.slice(0, 200))}`,
    'nothing was signed; where that is the platform you mean, name it: --platform <url>',
  )
}
