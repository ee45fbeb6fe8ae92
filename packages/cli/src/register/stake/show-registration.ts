import { printable } from '@farebox/conformance/internal/printable'
import type { Platform, Registration } from '@farebox/platform-api/registry'
import { formatCoin, nameNetwork } from '../../chain/name-network.ts'
import { isLocalNetwork, isOnLoopback } from '../../keys/local-economy.ts'
import type { PayingKey } from '../../keys/paying-key.ts'
import { asTyped, paintFor, wrap } from '../../terminal/text.ts'
import type { World } from '../../world.ts'
import { localEconomyOf, networkOf } from '../transaction/open-registry.ts'
import type { PrecheckedAgent } from '../examination/precheck-agent.ts'
import type { ChosenPlatform } from '../platform/find-platform.ts'
import type { ListedAgent, Registering } from './wait-for-listing.ts'
import type { PlannedTransaction } from '../transaction/send-transaction.ts'
import { readAbout } from '@farebox/client/agent/read-about'
import { spellAddress } from '../../keys/spell-address.ts'

/** Further capabilities are not shown on the line. */
const MAX_CAPABILITIES = 4
const MAX_FAILED = 5
const WHAT_COLUMNS = 14

export function showPrechecked(world: World, agent: PrecheckedAgent): void {
  const { err } = world
  const { bold, dim, green, red, yellow } = paintFor(err)
  const { endpoint, name, declaration, mode, findings } = agent
  const line = (isGood: boolean, what: string, text: string): string =>
    `  ${isGood ? green('✓') : red('✗')} ${what.padEnd(WHAT_COLUMNS)}${text}\n`
  const failed = findings.results.filter(({ outcome }) => outcome === 'failed')
  const passed = findings.results.filter(({ outcome }) => outcome === 'passed')
  const counts = `${passed.length} checks passed${failed.length === 0 ? '' : `, ${failed.length} failed`}`
  err.write(`${bold(printable(name))}   ${dim(endpoint)}\n`)
  err.write(line(true, 'GET /health', 'version 1.0, status ok'))
  if (declaration === undefined)
    err.write(`  ${yellow('!')} ${'GET /about'.padEnd(WHAT_COLUMNS)}missing: 404\n`)
  else err.write(line(true, 'GET /about', describeCapabilities(declaration.capabilities)))
  err.write(line(failed.length === 0 && findings.stopped === undefined, 'rules', counts))
  for (const { check } of failed.slice(0, MAX_FAILED)) err.write(`      ${check.title}\n`)
  if (failed.length > MAX_FAILED) err.write(`      and ${failed.length - MAX_FAILED} more\n`)
  if (findings.stopped !== undefined) err.write('      the agent did not answer some requests\n')
  if (failed.length > 0) err.write(`    ${asTyped(world, `farebox check ${endpoint}`)} shows how to fix it\n`)
  if (mode === 'locked') {
    err.write(
      `  ${yellow('!')} every payment is answered 401: FACILITATOR_SECRET is missing, or refused\n` +
        '    set it and restart the agent, or nobody can call it\n',
    )
  }
}

function describeCapabilities(capabilities: {
  readonly [name: string]: { readonly pricing: { readonly amount: string } }
}): string {
  const all = Object.entries(capabilities)
  const shown = all
    .slice(0, MAX_CAPABILITIES)
    .map(([name, { pricing }]) => `${printable(name)} ${printable(pricing.amount)} USDC`)
  const more = all.length > shown.length ? [`${all.length - shown.length} more`] : []
  return [...shown, ...more].join(', ')
}

/** Explains what an agent without `/about` can do (D36). */
export function showPhaseOne({ world }: Registering): void {
  const { err } = world
  const text =
    'Without /about it is registered as Phase 1 only: listed as unpaid and provisional, without capabilities or ' +
    'prices. It cannot be called through the platform, and it gives way to an agent whose owner proves that the endpoint is theirs. Once it serves /about, staked for by the wallet it names, it becomes an agent like any other.'
  err.write(
    `\n${wrap(text, Math.min(err.columns, 100) - 2)
      .map(line => `  ${line}\n`)
      .join('')}`,
  )
}

/**
 * Shows the cost of a registration, the network, and the payer.
 *
 * @param signing `undefined` when a browser wallet signs, which shows the gas itself
 */
export async function showStakeTerms(
  { world, chosen, described }: Registering,
  registration: Registration,
  signing: { readonly key: PayingKey; readonly planned: PlannedTransaction } | undefined,
): Promise<void> {
  const { found, stake_wei: stakeWei, registry_address: registry } = registration
  const { dim } = paintFor(world.err)
  const wallet = signing?.key.address ?? (found.phase === 'agent' ? found.wallet : undefined)
  const source = signing?.key.source ?? 'the wallet of /about, which alone can stake'
  const rows = [
    [
      'stake',
      `${formatCoin(BigInt(stakeWei))} ETH on ${nameNetwork(networkOf(described), localEconomyOf(chosen, described), { isLocal: isLocalPlatform(chosen, described) })}`,
    ],
    ['', `held by the registry ${await spellAddress(registry)}, returned by farebox deregister`],
    [
      'gas',
      signing === undefined ? 'your wallet shows it' : `at most ${shortCoin(signing.planned.gasWei)} ETH`,
    ],
    ['from', wallet === undefined ? 'any wallet' : `${await spellAddress(wallet)}  ${source}`],
    ['platform', chosen.url],
  ]
  world.err.write(`\n${rows.map(([name = '', text = '']) => `  ${dim(name.padEnd(10))}${text}\n`).join('')}`)
}

/** Rounds up to two significant digits. */
function shortCoin(wei: bigint): string {
  const unit = 10n ** BigInt(Math.max(0, wei.toString().length - 2))
  return formatCoin(((wei + unit - 1n) / unit) * unit)
}

/** Shows the result. With `--json` the document contains the same data. */
export function showListed({ world, raw }: Registering, listed: ListedAgent): void {
  const { err, out } = world
  const { agentId, profileUrl, isProvisional } = listed
  err.write(
    `  ${paintFor(err).green('✓')} listed${isProvisional ? ', as unpaid and provisional (Phase 1)' : ''}\n\n`,
  )
  if (raw.json !== true) out.write(`agent    ${agentId}\nprofile  ${printable(profileUrl)}\n`)
}

function isLocalPlatform({ url }: ChosenPlatform, { local_mode: isLocal, network }: Platform): boolean {
  return isLocal && isOnLoopback(url) && isLocalNetwork(network)
}

const TIMEOUT_MS = 5_000

/**
 * Shows the remaining setup of an agent that moves its callers' tokens, once it has a number. Shows nothing when no
 * capability declares such a permission, or when the agent does not respond now.
 */
export async function showSpending(world: World, endpoint: string, agentId: number): Promise<void> {
  const signal = AbortSignal.any([world.signal, AbortSignal.timeout(TIMEOUT_MS)])
  const declaration = await readAbout(endpoint, { allowHttp: true, signal }).catch(() => undefined)
  const spending = Object.entries(declaration?.capabilities ?? {})
    .filter(([, { permissions = [] }]) => permissions.length > 0)
    .map(([name]) => printable(name))
  if (spending.length === 0) return
  const { dim } = paintFor(world.err)
  const verb = spending.length === 1 ? 'moves' : 'move'
  world.err.write(
    `\n  ${spending.join(', ')} ${verb} tokens of its callers: set these and restart the agent\n` +
      `    AGENT_ID=${agentId}\n` +
      `    SPENDER_PRIVATE_KEY=  ${dim('a key for this alone; its account needs gas and nothing else')}\n`,
  )
}
