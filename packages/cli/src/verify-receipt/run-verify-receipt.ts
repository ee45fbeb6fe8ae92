import { printable, printableJson } from '@farebox/conformance/internal/printable'
import { objectOf, parseJson } from '@farebox/protocol/internal/guards/json'
import { hashJobId, matchesHash, type Receipt, verifyReceipt } from '@farebox/platform-api/receipt'
import { MAX_WRAPPED_RESPONSE_BYTES } from '@farebox/protocol/limits'
import { systemClock } from '@farebox/protocol/time/clock'
import { CommandError, EXIT, type ExitCode, usageError } from '../command-error.ts'
import { paintFor } from '../terminal/text.ts'
import type { World } from '../world.ts'
import { readForeignText } from '../terminal/read-foreign-text.ts'
import { findNetwork } from '@farebox/payments/networks'
import { namePaidNetwork } from '../chain/name-network.ts'
import { AgentUnreachable } from '@farebox/client/exchange/agent-errors'
import { connectionOf } from '@farebox/client/exchange/client-options'
import { exchange } from '@farebox/client/internal/exchange/exchange'
import { readUrl } from '../terminal/read-option.ts'

export interface RawVerifyOptions {
  readonly keys?: string
  readonly issuer?: string
  readonly input?: string
  readonly output?: string
  readonly job?: string
  readonly json?: true
}

interface Comparison {
  readonly what: 'job' | 'input' | 'output'
  readonly fits: boolean
}

/**
 * `farebox verify-receipt`. Sends no request, unless `--keys` is a URL.
 *
 * @throws {CommandError} when there is nothing to check: the file does not exist, or there are no keys
 */
export async function runVerifyReceipt(world: World, file: string, raw: RawVerifyOptions): Promise<ExitCode> {
  if (raw.keys === undefined) throw noKeys()
  const text = await readForeignText(world, file, {
    what: 'the receipt',
    maxBytes: MAX_WRAPPED_RESPONSE_BYTES,
  })
  const jws = readReceipt(text.trim())
  const keys = await readKeys(world, raw.keys)
  const verdict = await verifyReceipt(jws, keys, raw.issuer ?? whereKeysAre(raw.keys))
  if (!verdict.ok) return refuse(world, raw, verdict.reason)
  const { receipt } = verdict
  const compared = await compare(world, raw, receipt)
  const isFit = compared.every(({ fits }) => fits)
  if (raw.json === true) {
    const document = {
      ok: isFit,
      valid: true,
      key_id: verdict.keyId,
      receipt,
      compared: documentOf(compared),
    }
    world.out.write(`${printableJson(document)}\n`)
  } else {
    showReceipt(world, receipt)
    tellVerdict(world, receipt, compared)
  }
  return isFit ? EXIT.done : EXIT.refused
}

/** Keys from a URL are those of that platform; a file does not say where it came from. */
function whereKeysAre(place: string): string | undefined {
  return /^https?:\/\//i.test(place) ? new URL(place).origin : undefined
}

/** Reads the receipt alone, or the JSON in which a platform returns it: from `/v1/jobs/<job_id>` or its `/receipt`. */
function readReceipt(text: string): string {
  if (!text.startsWith('{')) return text
  const { receipt } = objectOf(parseJson(text))
  return typeof receipt === 'string' ? receipt : text
}

function noKeys(): CommandError {
  return usageError(
    '--keys is missing: whose signature should it be?',
    'curl -so jwks.json https://platform.example/.well-known/jwks.json\nfarebox verify-receipt receipt.jws --keys jwks.json',
  )
}

function refuse({ out, err }: World, { json }: RawVerifyOptions, reason: string): ExitCode {
  if (json === true) out.write(`${printableJson({ ok: false, valid: false, reason })}\n`)
  err.write(`${paintFor(err).red('✗')} not valid: ${printable(reason)}\n`)
  return EXIT.refused
}

async function compare(
  world: World,
  { input, output, job }: RawVerifyOptions,
  receipt: Receipt,
): Promise<readonly Comparison[]> {
  const compared: Comparison[] = []
  if (job !== undefined) compared.push({ what: 'job', fits: (await hashJobId(job)) === receipt.job })
  for (const [what, file] of [
    ['input', input],
    ['output', output],
  ] as const) {
    if (file === undefined) continue
    const text = await readForeignText(world, file, {
      what: `--${what}`,
      maxBytes: MAX_WRAPPED_RESPONSE_BYTES,
    })
    compared.push({ what, fits: await matchesHash(readJson(text, what), receipt[what]) })
  }
  return compared
}

function readJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new CommandError(`--${what}: the file is not JSON`, `it has to hold the ${what} alone`, { cause })
  }
}

function documentOf(compared: readonly Comparison[]): object {
  return Object.fromEntries(compared.map(({ what, fits }) => [what, fits]))
}

/** Prints the whole verdict on one stream, with differences last: a part of it could be mistaken for the whole. */
function tellVerdict({ out, err }: World, { iss, iat }: Receipt, compared: readonly Comparison[]): void {
  const { green, red } = paintFor(out)
  const aheadSeconds = iat - systemClock.nowMs() / 1_000
  out.write(`\n${green('✓')} valid, signed by ${printable(iss)}\n`)
  for (const { what, fits } of compared.toSorted((one, other) => Number(other.fits) - Number(one.fits))) {
    out.write(
      fits
        ? `${green('✓')} the ${what} is the one of the receipt\n`
        : `${red('✗')} the ${what} is another than that of the receipt\n`,
    )
  }
  // A signature does not depend on the time, so only a wrong clock, ours or the platform's, causes this.
  if (aheadSeconds > 300)
    err.write(`${paintFor(err).yellow('!')} signed in the future: is this machine's clock right?\n`)
}

function showReceipt({ out }: World, receipt: Receipt): void {
  const { dim } = paintFor(out)
  const network = findNetwork(receipt.network)
  const rows = [
    ['agent', `${receipt.agent_id}  ${receipt.endpoint}`],
    ['capability', receipt.capability],
    [
      'amount',
      `${receipt.amount} USDC on ${network === undefined ? `a chain unknown here (${receipt.network})` : namePaidNetwork(network, receipt.iss, undefined)}`,
    ],
    ['payer', receipt.payer],
    ['paid to', receipt.pay_to],
    ['transaction', receipt.transaction],
    ['job', `sha256 ${receipt.job}`],
    ['input', `sha256 ${receipt.input}`],
    ['output', `sha256 ${receipt.output}`],
    ['completed', moment(receipt.completed_at)],
    ['signed', moment(receipt.iat)],
  ]
  out.write(rows.map(([name = '', text = '']) => `${dim(name.padEnd(13))}${printable(text)}\n`).join(''))
}

function moment(seconds: number): string {
  const date = new Date(seconds * 1_000)
  return Number.isNaN(date.getTime())
    ? String(seconds)
    : `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

const MAX_BYTES = 262_144
const TIMEOUT_MS = 10_000

/** Reads the keys of `--keys` as published: parsed, but not verified yet. */
async function readKeys(world: World, place: string): Promise<unknown> {
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

/** Requires https or this machine, because an attacker on the network could replace the keys. */
async function fetchKeys({ signal }: World, place: string): Promise<unknown> {
  const url = readUrl('--keys', place, { next: 'like https://platform.example/.well-known/jwks.json' })
  try {
    const request = { url, method: 'GET', timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES } as const
    const { status, json, flaw } = await exchange(connectionOf({ signal }), request)
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
