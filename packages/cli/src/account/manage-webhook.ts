import { printable } from '@farebox/conformance/internal/printable'
import { CommandError, EXIT, type ExitCode } from '../command-error.ts'
import { PlatformRefusal } from '../register/platform/ask-platform.ts'
import { readAgentNumber } from '../terminal/read-option.ts'
import { runWithJson } from '../terminal/run-with-json.ts'
import { asTyped, many, paintFor } from '../terminal/text.ts'
import type { World } from '../world.ts'
import { nothing } from '@farebox/platform-api/errors'
import { webhook, type Webhook, webhookMade, webhookTested } from '@farebox/platform-api/monitor'
import { openAccount, type OpenAccount } from './open-account.ts'

export interface RawWebhookOptions {
  readonly platform?: string
  readonly json?: true
}

/**
 * `farebox webhook set <agent id> <url>`: sets where notices about an agent are sent. Only this output shows the new
 * secret.
 */
export async function setAgentWebhook(
  world: World,
  agentId: string,
  url: string,
  raw: RawWebhookOptions,
): Promise<ExitCode> {
  return await tell(world, raw, agentId, async ({ ask }, id) => {
    const made = await ask({ ...webhookOf(id), method: 'PUT', body: { url }, schema: webhookMade })
    if (raw.json !== true) {
      const { green } = paintFor(world.err)
      world.out.write(`${printable(made.secret)}\n`)
      world.err.write(
        `  ${green('✓')} agent ${id} reports to ${printable(made.url)}\n` +
          '    the line above is its secret, shown this once: every notice is signed with it\n' +
          `    ${asTyped(world, `farebox webhook test ${id}`)} sends a notice now\n`,
      )
    }
    return { ok: true, ...made }
  })
}

/** `farebox webhook show <agent id>`: shows where notices are sent, and the result of the latest one. */
export async function showWebhook(world: World, agentId: string, raw: RawWebhookOptions): Promise<ExitCode> {
  return await tell(world, raw, agentId, async ({ ask }, id) => {
    const found = await ask({ ...webhookOf(id), schema: webhook })
    if (raw.json !== true) world.out.write(`${printable(found.url)}\n  ${describeNotice(found)}\n`)
    return { ok: true, ...found }
  })
}

/** `farebox webhook test <agent id>`: makes the platform send a signed notice now; exit code 1 when it was not accepted. */
export async function testWebhook(world: World, agentId: string, raw: RawWebhookOptions): Promise<ExitCode> {
  return await tell(world, raw, agentId, async ({ ask }, id) => {
    const { delivered, failure, url } = await ask({
      method: 'POST',
      path: `${webhookOf(id).path}/test`,
      schema: webhookTested,
    })
    if (!delivered) {
      throw new CommandError(
        `${printable(url)} did not take the notice: ${printable(failure ?? 'no reason given')}`,
        'it must answer 2xx within a few seconds, at the URL itself: redirects are not followed',
      )
    }
    world.err.write(`  ${paintFor(world.err).green('✓')} ${printable(url)} took a signed notice\n`)
    return { ok: true, agent_id: id, url, delivered }
  })
}

/** `farebox webhook remove <agent id>`: stops the notices. */
export async function removeWebhook(
  world: World,
  agentId: string,
  raw: RawWebhookOptions,
): Promise<ExitCode> {
  return await tell(world, raw, agentId, async ({ ask }, id) => {
    await ask({ ...webhookOf(id), method: 'DELETE', schema: nothing })
    world.err.write(`  ${paintFor(world.err).green('✓')} agent ${id} has no webhook any more\n`)
    return { ok: true, agent_id: id, removed: true }
  })
}

export function describeNotice({ last_delivery: last }: Webhook): string {
  if (last === null) return 'no notice so far; tests are not listed'
  const at = new Date(last.created_at * 1_000).toISOString().slice(0, 16).replace('T', ' ')
  const tried = many(last.attempts, 'attempt')
  const failure = last.failure === null ? '' : `: ${printable(last.failure)}`
  switch (last.state) {
    case 'delivered':
      return `newest notice of ${at} UTC delivered`
    case 'waiting':
      return `newest notice of ${at} UTC waits after ${tried}${failure}`
    case 'given-up':
      return `newest notice of ${at} UTC given up after ${tried}${failure}`
  }
}

export function webhookOf(agentId: number): { readonly path: string } {
  return { path: `/v1/me/agents/${agentId}/webhook` }
}

async function tell(
  world: World,
  raw: RawWebhookOptions,
  agentId: string,
  work: (account: OpenAccount, agentId: number) => Promise<object>,
): Promise<ExitCode> {
  return await runWithJson(
    world,
    raw,
    async () => {
      const id = readAgentNumber(agentId)
      const account = await openAccount(world, raw.platform)
      try {
        return await work(account, id)
      } catch (error) {
        if (!(error instanceof PlatformRefusal)) throw error
        throw new CommandError(error.message, adviceFor(error, id), { cause: error, exitCode: EXIT.refused })
      }
    },
    'farebox webhook show shows its state',
  )
}

function adviceFor({ status, message, next }: PlatformRefusal, id: number): string {
  if (status === 404 && message.includes('webhook')) return `farebox webhook set ${id} https://…`
  if (status === 404) return 'farebox dashboard lists your agents'
  return status === 400 ? 'give a public https URL' : next
}
